#!/usr/bin/env bash
# examples/apply_model as its reader would use it: apply_model.sh FACTORGCN PROGRAM
set -euo pipefail
factorgcn=$1 program=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
{
  echo "from,to"
  for person in $(seq 0 19); do echo "p$person,p$(((person + 1) % 20))"; done
} >friends.csv
{
  echo "name,age,team"
  for person in $(seq 0 2 18); do
    echo "p$person,$((20 + person)),red"
    echo "p$((person + 1)),$((21 + person)),blue"
  done
} >people.csv
"$factorgcn" data import friends.csv --nodes people.csv --label team --out friends.safetensors
"$factorgcn" train --dataset friends.safetensors --epochs 2 --out run --no-page --quiet
printf 'from,to\nnew,newer\n' >pair.csv
printf 'name,age\nnew,30\nnewer,31\n' >pair_people.csv
"$factorgcn" data import pair.csv --nodes pair_people.csv --label none --out pair.safetensors
rm friends.safetensors # the run's own data are not needed
answers=$("$program" run pair.safetensors)
echo "$answers"
grep -q '^newer:  blue 0\.[0-9]*  red 0\.[0-9]*$' <<<"$answers"
grep -q 'coefficients of the first edges' <<<"$answers"
