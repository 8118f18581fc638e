#!/usr/bin/env python3
"""Says how often the verdicts on labelled runs are right.

    python3 docs/measure.py ./shadowd FOLDER...
    python3 docs/measure.py ./shadowd FOLDER... -- --judge openai:gpt-5-mini

Replays each run-NAME.jsonl of the folders and compares the reports with
labels-NAME.json: by domain the lists sub_tasks and deliverables, true where the
work has the item, and wrong_figures, the lines with a wrong figure. A finding
counts as right if its bundle has as many of these. What stands after -- goes to
shadowd replay.
"""
import collections
import glob
import json
import os
import subprocess
import sys


def reports(shadowd, run, flags):
    """The reports on the bundles of a run, before any fix."""
    out = subprocess.run([shadowd, "replay", "--format", "json", *flags, run], check=True, stdout=subprocess.PIPE, text=True).stdout
    events = map(json.loads, out.splitlines())
    return [e["data"] for e in events if ".gap-report." in e["type"] and e["data"]["swarm"]["cycle"] == 0]


def count(report, labels, n):
    swarm = report["swarm"]
    n["read"] += swarm["read"]["read"]
    n["items"] += swarm["read"]["items"]
    n["bundles"] += 1
    n["unread bundles"] += any(r.startswith("unread") for r in swarm.get("advisory_reasons", []))
    truth = {"sub_task": labels["sub_tasks"], "deliverable": labels["deliverables"]}
    for item in swarm["items"]:
        if item["kind"] not in truth:
            continue
        there, verdict = truth[item["kind"]][item["index"]], item["verdict"]
        alarm = verdict in ("missing", "declined")
        n["labelled"] += 1
        n["decided"] += verdict != "unread"
        n["gaps"] += not there
        n["alarms"] += alarm
        n["right alarms"] += alarm and not there
        n["found"] += verdict == "found"
        n["rightly found"] += verdict == "found" and there
    wrong = len(labels["wrong_figures"])
    findings = sum(f["actual"].count(" should be ") for f in report["failures"])
    n["wrong figures"] += wrong
    n["findings"] += findings
    n["right findings"] += min(findings, wrong)
    if all(labels["sub_tasks"] + labels["deliverables"]) and not wrong:
        n["good"] += 1
        n["good above 15 %"] += report["report"]["shadow_score"] > 15


def main(shadowd, *args):
    at = args.index("--") if "--" in args else len(args)
    n = collections.Counter()
    for folder in args[:at]:
        for run in sorted(glob.glob(os.path.join(folder, "run-*.jsonl"))):
            with open(os.path.join(folder, "labels" + os.path.basename(run)[3:-1])) as f:
                labels = json.load(f)
            for report in reports(shadowd, run, args[at + 1:]):
                count(report, labels[report["swarm"]["domain"]], n)
    for name, part, whole in [
        ("missing or declined: right", "right alarms", "alarms"),
        ("gaps found", "right alarms", "gaps"),
        ("found: right", "rightly found", "found"),
        ("sub-tasks and deliverables read", "decided", "labelled"),
        ("items read, constraints too", "read", "items"),
        ("wrong figures: findings right", "right findings", "findings"),
        ("wrong figures found", "right findings", "wrong figures"),
        ("bundles advisory, since unread", "unread bundles", "bundles"),
        ("good domains above 15 %", "good above 15 %", "good"),
    ]:
        print(f"{name:32} {n[part]:5} of {n[whole]:5}" + (f"  {n[part] / n[whole]:6.1%}" if n[whole] else ""))


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
