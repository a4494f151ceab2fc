#!/bin/bash
# Stands in for a diff program: says what it was given.
ls "$1"
echo "${1##*/} ${2##*/}"
exit 1
