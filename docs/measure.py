#!/usr/bin/env python3
"""Says how well judges read, on runs that a careful reader has labelled.

    python3 docs/measure.py ./shadowd --judge openai:gpt-5-mini docs/measure/runs
    python3 docs/measure.py ./shadowd --judge A --judge B --judge C --runs 2 \\
        --price-in 0.25 --price-out 2 docs/measure/runs/run-e*.jsonl

Each judge alone replays each run, so that it is asked everything. What a panel
of them decides, and whom it asks, follows from their votes. Next to each
run-NAME.jsonl stands labels-NAME.json: by domain the lists sub_tasks and
deliverables, true where the work has the item, and wrong_figures. Only these
items are counted.
"""
import argparse
import collections
import glob
import json
import os
import subprocess
import sys
import time


class Bundle:
    """What one judge said of one bundle: by item the state and the vote."""

    def __init__(self, report):
        swarm = report["swarm"]
        self.states = {i["item"]: i["state"] for i in swarm["items"]}
        self.votes = {b["about"]: b["votes"][0] for b in swarm.get("ballots", [])}
        self.controls = swarm.get("controls", {})
        self.excluded = any(j.get("excluded") for j in swarm["judges"])
        self.held = swarm["gate"]["action"] != "proceed" or swarm["hardening"]["requested"]


def arguments():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("shadowd", help="the program")
    p.add_argument("where", nargs="+", metavar="RUNS", help="folders of run-NAME.jsonl and labels-NAME.json, or single run-NAME.jsonl")
    p.add_argument("--judge", action="append", required=True, metavar="WORD", help="as for shadowd replay; repeat it for a panel")
    p.add_argument("--runs", type=int, default=1, metavar="N", help="how often each run is read; from 2 on verdicts that change are counted")
    p.add_argument("--price-in", type=float, action="append", metavar="X", help="of a million tokens read, cached or not; once for all judges, or once for each in their order")
    p.add_argument("--price-out", type=float, action="append", metavar="Y", help="of a million tokens written")
    a = p.parse_intermixed_args()
    for prices in a.price_in, a.price_out:
        if prices and len(prices) not in (1, len(a.judge)):
            p.error("give a price once, or once for each --judge")
    if bool(a.price_in) != bool(a.price_out):
        p.error("--price-in and --price-out go together")
    if a.runs < 1:
        p.error("--runs is at least 1")
    a.files = []
    for where in a.where:
        found = sorted(glob.glob(os.path.join(where, "run-*.jsonl"))) if os.path.isdir(where) else [where]
        if not found:
            p.error(f"{where} has no run-NAME.jsonl")
        a.files += found
    return a


def labels_of(run):
    """The labels of a run: by domain and item whether the item is there, and by
    domain whether all is well."""
    name = os.path.basename(run).removeprefix("run-").removesuffix(".jsonl")
    with open(os.path.join(os.path.dirname(run), f"labels-{name}.json")) as f:
        labels = json.load(f)
    items = {
        (domain, f"{kind} {i}"): there
        for domain, l in labels.items()
        for kind, field in (("sub-task", "sub_tasks"), ("deliverable", "deliverables"))
        for i, there in enumerate(l[field], 1)
    }
    good = {domain: all(l["sub_tasks"] + l["deliverables"]) and not l["wrong_figures"] for domain, l in labels.items()}
    return items, good


def replay(shadowd, judge, run):
    """What a judge says of the bundles of a run, by domain, and the seconds."""
    began = time.monotonic()
    p = subprocess.run([shadowd, "replay", "--format", "json", "--hardening-timeout", "10ms", "--judge", judge, run],
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    took = time.monotonic() - began
    data = [json.loads(line)["data"] for line in p.stdout.splitlines()]
    bundles = {d["swarm"]["domain"]: Bundle(d) for d in data if "swarm" in d and d["swarm"]["cycle"] == 0}
    if not bundles:
        sys.exit(f"{p.stderr}{shadowd} replay {run} gave no report")
    return bundles, took


def vote_of(bundle, item):
    """passed, failed or undecided; what a program decides, each judge says."""
    vote = bundle.votes.get(item)
    if vote:
        return vote["outcome"]
    return {"found": "passed", "missing": "failed"}.get(bundle.states.get(item), "undecided")


def count(n, truth, outcome):
    n["items"] += 1
    n["gaps"] += not truth
    n["found"] += outcome == "passed"
    n["rightly found"] += outcome == "passed" and truth
    n["alarms"] += outcome == "failed"
    n["right alarms"] += outcome == "failed" and not truth
    n["undecided"] += outcome == "undecided"


def pay(n, cost, prices):
    """Adds a vote, or the cost of several."""
    written = cost.get("written", 0)
    n["calls"] += cost.get("calls", 0)
    n["tokens"] += cost.get("tokens", 0)
    n["written"] += written
    if prices:
        n["money"] += ((cost.get("tokens", 0) - written) * prices[0] + written * prices[1]) / 1e6


def needed(votes, judges):
    """How many more judges are asked at once, as shadowd does it."""
    lead = max(votes.count("passed"), votes.count("failed"))
    most = judges // 2 + 1
    return most - lead if lead < most and lead + judges - len(votes) >= most else 0


def majority(n, bundles, prices, item):
    """What a panel of the judges decides; asked are those that it asks."""
    votes, asked = [], set()
    while more := needed(votes, len(bundles)):
        for _ in range(more):
            j = len(votes)
            votes.append(vote_of(bundles[j], item))
            if item in bundles[j].votes:
                pay(n, bundles[j].votes[item], prices[j])
                asked.add(j)
    best = max(("passed", "failed"), key=votes.count)
    return (best if votes.count(best) * 2 > len(bundles) else "undecided"), asked


def count_alone(n, labels, good, bundles, prices):
    """Counts what one judge said of a run."""
    outcomes = {}
    for domain, b in bundles.items():
        n["bundles"] += 1
        n["excluded"] += b.excluded
        n["good"] += good[domain]
        n["good held"] += good[domain] and b.held
        n["poor"] += not good[domain]
        n["poor waved"] += not good[domain] and not b.held
        for vote in b.votes.values():
            pay(n, vote, prices)
        pay(n, b.controls, prices)
        for (of, item), truth in labels.items():
            if of == domain:
                outcomes[of, item] = vote_of(b, item)
                count(n, truth, outcomes[of, item])
    return outcomes


def count_panel(n, labels, by_judge, prices):
    """Counts what a panel decides of a run."""
    outcomes = {}
    for domain in by_judge[0]:
        bundles = [b[domain] for b in by_judge]
        n["bundles"] += 1
        asked = set()
        for item in bundles[0].states:
            outcome, who = majority(n, bundles, prices, item)
            asked |= who
            if (domain, item) in labels:
                outcomes[domain, item] = outcome
                count(n, labels[domain, item], outcome)
        for j in asked:
            pay(n, bundles[j].controls, prices[j])
    return outcomes


def compare(n, before, after):
    for key, was in before.items():
        n["compared"] += 1
        n["flips"] += {was, after.get(key)} == {"passed", "failed"}
        n["changes"] += was != after.get(key)


def show(name, n, replays, priced):
    print(f"\n{name}: {replays} replay{'s' * (replays > 1)}, {n['bundles']} bundles, {n['items']} items, {n['gaps']} of them missing")
    for what, part, whole in (
        ("said to be missing: right", "right alarms", "alarms"),
        ("missing: found out", "right alarms", "gaps"),
        ("said to be there: right", "rightly found", "found"),
        ("undecided", "undecided", "items"),
        ("bundles that a control question took away", "excluded", "bundles"),
        ("bundles that are whole, and held up", "good held", "good"),
        ("bundles that are not, and let through", "poor waved", "poor"),
        ("verdicts that flip between two runs", "flips", "compared"),
        ("verdicts that change, undecided too", "changes", "compared"),
    ):
        if n[whole] and (part != "excluded" or "seconds" in n):
            print(f"  {what:42} {n[part]:6} of {n[whole]:6}  {n[part] / n[whole]:6.1%}")
    costs = [f"{n['seconds'] / replays:.1f} s"] if "seconds" in n else []
    costs += [f"{n['calls'] / replays:,.0f} calls", f"{n['tokens'] / replays:,.0f} tokens, {n['written'] / replays:,.0f} of them written"]
    if priced:
        costs.append(f"{n['money'] / replays:.4f} in money")
    print("  a run: " + ", ".join(costs))


def main():
    a = arguments()
    price = lambda of, j: of[j if len(of) > 1 else 0]
    prices = [(price(a.price_in, j), price(a.price_out, j)) if a.price_in else None for j in range(len(a.judge))]
    alone = [collections.Counter() for _ in a.judge]
    panel = collections.Counter()
    for run in a.files:
        labels, good = labels_of(run)
        before = None
        for again in range(a.runs):
            by_judge, outcomes = [], []
            for j, judge in enumerate(a.judge):
                print(f"{run}: {judge}" + (f", run {again + 1}" if a.runs > 1 else ""), file=sys.stderr)
                bundles, took = replay(a.shadowd, judge, run)
                alone[j]["seconds"] += took
                by_judge.append(bundles)
                outcomes.append(count_alone(alone[j], labels, good, bundles, prices[j]))
            outcomes.append(count_panel(panel, labels, by_judge, prices))
            if before:
                for n, was, now in zip(alone + [panel], before, outcomes):
                    compare(n, was, now)
            before = outcomes
    for judge, n in zip(a.judge, alone):
        show(judge, n, len(a.files) * a.runs, a.price_in)
    if len(a.judge) > 1:
        show(f"panel of {len(a.judge)}", panel, len(a.files) * a.runs, a.price_in)


if __name__ == "__main__":
    main()
