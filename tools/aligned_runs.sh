#!/usr/bin/env bash
# Several runs of the aligned model side by side, each in a folder of its own, and one table of what came of them.
#
#   tools/aligned_runs.sh [--limit SECONDS] [--at-once N] [--threads N] [--device NAME] OUT LIST [OPTIONS]
#
# LIST names a file with a run on each line: its name, then options of `factorgcn train`; `-` reads them from standard
# input. Lines that begin with # are left out. OPTIONS go to every run, before its own. After SECONDS of training (0: no
# limit) runs that are not through are asked to stop, and their best model so far is scored: `epochs` says how far they
# came. On a GPU the runs share it by MPS where that can be started. FACTORGCN names the program (build/factorgcn).
#
#   printf '%s\n' 'four-0 --factors 4 --seed 0' 'six --factors 6 --set local=1' | tools/aligned_runs.sh runs -
set -euo pipefail
limit=0 at_once=14 threads=1 device=auto
while [[ ${1:-} == --* ]]; do
  case $1 in
    --limit) limit=$2 ;;
    --at-once) at_once=$2 ;;
    --threads) threads=$2 ;;
    --device) device=$2 ;;
    *) echo "aligned_runs.sh: unknown option $1" >&2 && exit 2 ;;
  esac
  shift 2
done
out=${1:?the folder for the runs} list=${2:?a file with a run on each line, or -}
shift 2
common=$*
program=${FACTORGCN:-build/factorgcn}
mkdir -p "$out"
sed -E -n "/^ *(#|\$)/d; s|^ *([^ ]+)|\1 $common|p" "$list" >"$out/list"

mps=
if [[ $device != cpu ]] && command -v nvidia-cuda-mps-control >/dev/null; then
  export CUDA_MPS_PIPE_DIRECTORY CUDA_MPS_LOG_DIRECTORY
  CUDA_MPS_PIPE_DIRECTORY=$(mktemp -d) CUDA_MPS_LOG_DIRECTORY=$CUDA_MPS_PIPE_DIRECTORY
  if nvidia-cuda-mps-control -d >/dev/null 2>&1; then
    mps=1
  else
    unset CUDA_MPS_PIPE_DIRECTORY CUDA_MPS_LOG_DIRECTORY
  fi
fi
end_mps() { [[ -z $mps ]] || echo quit | nvidia-cuda-mps-control >/dev/null 2>&1 || true; }
trap end_mps EXIT

# NAME OPTIONS...: trains and scores; what the best model of a run that was stopped is worth goes to partial.json.
one_run() {
  local name=$1 stop=()
  shift
  [[ $limit == 0 ]] || stop=(timeout --signal=TERM "$limit")
  "${stop[@]}" "$program" train --model aligned --device "$device" --threads "$threads" --quiet --no-page \
    --out "$out/$name" "$@" >"$out/$name.log" 2>&1 || true
  if [[ ! -e $out/$name/metrics.json && -e $out/$name/model.safetensors ]]; then
    "$program" evaluate "$out/$name" --split test --json --device "$device" --threads "$threads" \
      >"$out/$name/partial.json" 2>>"$out/$name.log" || true
  fi
}

while read -r name options; do
  while (($(jobs -rp | wc -l) >= at_once)); do
    wait -n || true
  done
  # shellcheck disable=SC2086
  one_run "$name" $options &
done <"$out/list"
wait
end_mps
mps=

python3 - "$out" <<'PYTHON'
import json, os, sys
out = sys.argv[1]
head = ["run", "parts", "seed", "epochs", "s", "ms/epoch", "F1", "GED_E", "chance", "C", "objective", "cover", "swap",
        "exchange", "adversary", "settings"]
rows = [head]
number = lambda value, form: "" if value is None else format(value, form)
for line in open(os.path.join(out, "list")):
    name, *options = line.split()
    folder = os.path.join(out, name)
    read = lambda file: (json.load(open(os.path.join(folder, file)))
                         if os.path.exists(os.path.join(folder, file))
                         and os.path.getsize(os.path.join(folder, file)) else {})
    flag = lambda key, other: options[len(options) - options[::-1].index(key)] if key in options else other
    metrics, partial = read("metrics.json"), read("partial.json")
    test = metrics.get("test") or partial.get("scores") or {}
    chance = (metrics or partial).get("chance", {})
    path = os.path.join(folder, "history.jsonl")
    history = [json.loads(each) for each in open(path)] if os.path.exists(path) else []
    last = history[-1] if history else {}
    objective = last.get("objective", {})
    seconds = last.get("seconds")
    starts = len({each.get("start", 0) for each in history})
    epochs = f"{len(history)}" + (f" in {starts} starts" if starts > 1 else "") + ("" if metrics else " stopped")
    kept = {}  # what is said last counts
    for option, value in zip(options, options[1:]):
        if option.startswith("--") and option not in ("--factors", "--seed"):
            key, _, value = value.partition("=") if option == "--set" else (option[2:], "", value)
            kept[key] = value
    rows.append([name, flag("--factors", "4"), flag("--seed", "0"), epochs if history else "none",
                 number(seconds, ".0f"), number(1000 * seconds / len(history) if history else None, ".0f"),
                 number(test.get("micro_f1"), ".4f"),
                 number(test.get("ged_e"), ".2f"), number(chance.get("ged_e"), ".1f"),
                 number(test.get("c_score"), ".3f"), number(objective.get("value"), ".3f"),
                 *(number(objective.get(term), ".3f") for term in ("cover", "swap", "exchange", "adversary")),
                 " ".join(f"{key}={value}" for key, value in kept.items())])
print("| " + " | ".join(head) + " |\n|" + " --- |" * len(head))
for row in rows[1:]:
    print("| " + " | ".join(str(cell) for cell in row) + " |")
PYTHON
