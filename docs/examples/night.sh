#!/bin/sh
# A night of a model, for cron: 15 3 * * *  sh /srv/mails/night.sh
# Run again for the same day it changes nothing, so a missed or doubted night may simply be repeated: night.sh 2026-11-24
set -u
cd /srv/mails || exit 1
export PATH="/opt/nbspark/bin:$PATH"    # cron has neither your PATH nor your Java
day=${1:-$(date +%F)}

nbspark retrain --documents "incoming/$day.csv" --batch "$day" --date "$day" --holdout-documents holdout.csv \
    --minimum accuracy=0.9 --label label --text text --model models/mails --report "reports/$day.json" > "logs/$day" 2>&1
code=$?
case $code in
    0) ;;                                                   # promoted: nothing to say
    3) echo "$day was learned and not promoted:"; cat "logs/$day" ;;    # no failure; cron mails what is printed
    *) cat "logs/$day"; exit $code ;;                       # refused, and nothing changed
esac
