#!/bin/bash
# A stand-in for a diff program: prints its arguments.
ls "$1"
echo "${1##*/} ${2##*/}"
exit 1
