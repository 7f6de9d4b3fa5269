#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Adds up JUnit's reports of one or more places: the host, and the kernels of the lab.

    build/reports.py [--everywhere] [--stages FILE] PLACE=DIRECTORY...

The first line of the output is `PASSED FAILED SKIPPED`; each further line names a test that failed,
with its place and message, or one that was skipped in every place. With --everywhere the latter
counts as failed: what no place can run proves nothing. The slowest tests follow, and the time of each
stage: a line of FILE has the seconds it took, those of the processors, and its name, between tabs.

A test that one place skips and another runs is not counted as skipped. Tests are told apart by their
outermost class, because those of a conformance kit are declared once and inherited.
"""
import argparse
import glob
import os
import re
import sys
import xml.etree.ElementTree as tree

SLOWEST = 20
PATTERNS = ("TEST-*.xml", "*/target/surefire-reports/TEST-*.xml", "*/*/target/surefire-reports/TEST-*.xml")


def tests(report):
    """The tests of a report: (outermost class, class, name), outcome, message, seconds."""
    suite = tree.parse(report).getroot()
    found = False
    rest = seconds(suite)
    for case in suite.iter("testcase"):
        found = True
        outcome, message = "passed", ""
        for kind in ("failure", "error", "skipped"):
            part = case.find(kind)
            if part is not None:
                outcome = "skipped" if kind == "skipped" else "failed"
                message = (part.get("message") or part.text or "no message").strip()
        yield key(suite, case), outcome, message, seconds(case)
        rest -= seconds(case)
    if os.path.basename(report).count(".") > 1:
        # Surefire leaves a class out altogether when its preparation was aborted.
        if not found:
            yield (suite.get("name"), suite.get("name"), ""), "skipped", "nothing of it ran", 0
        # Its report of a class includes the time before the first test and after the last one.
        else:
            yield (suite.get("name"), suite.get("name"), "(preparation)"), "prepared", "", rest


def seconds(part):
    return float((part.get("time") or "0").replace(",", ""))


def key(suite, case):
    """The same for one test whichever of Surefire and JUnit's launcher wrote the report."""
    name = case.get("name") or ""
    index = re.search(r"\[\d+\]", name)
    method = re.split(r"[({\[ ]", name)[0] + (index.group() if index else "")
    output = "".join(part.text or "" for part in case.iter("system-out"))
    outer = re.search(r"unique-id: \S*?\[class:([^\]]+)\]", output)
    return (outer.group(1) if outer else suite.get("name"), case.get("classname"), method)


def runs_somewhere(test, ran):
    outer, inner, method = test
    if method:
        return test in ran
    # A whole class was skipped.
    return any(o == outer and (i == inner or inner == outer) for o, i, _ in ran)


def said(test):
    outer, inner, method = test
    nested = inner.split("$")[1:] if "$" in inner else []
    return ".".join([outer, *nested, *([method] if method else [])])


def slowest(times):
    """Lines for those that took longest, of (seconds, test, place)."""
    longest = sorted(times, key=lambda entry: entry[0], reverse=True)[:SLOWEST]
    return ["the slowest tests, in seconds:"] + [
        "  %7.1f  %s, on %s" % (took, said(test), place) for took, test, place in longest
    ]


def stages(file):
    lines = ["the stages, in seconds, and the processors' time of programs they waited for:"]
    with open(file, encoding="utf-8") as entries:
        for entry in entries:
            took, used, name = entry.rstrip("\n").split("\t")
            lines.append("  %7s  %7s  %s" % (took, used, name))
    return lines


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--everywhere", action="store_true")
    parser.add_argument("--stages")
    parser.add_argument("places", nargs="+")
    options = parser.parse_args()
    passed, failed, ran, lines, skipped, times = 0, 0, set(), [], {}, []
    for argument in options.places:
        place, directory = argument.split("=", 1)
        reports = [f for p in PATTERNS for f in glob.glob(os.path.join(directory, p))]
        for report in sorted(reports):
            for test, outcome, message, took in tests(report):
                if outcome == "skipped":
                    skipped.setdefault(test, []).append((place, message.splitlines()[0]))
                    continue
                times.append((took, test, place))
                if outcome == "prepared":
                    continue
                ran.add(test)
                if outcome == "passed":
                    passed += 1
                else:
                    failed += 1
                    lines.append("failed on %s: %s" % (place, said(test)))
                    lines += ["  " + line for line in message.splitlines()[:3]]
    nowhere = sorted(test for test in skipped if not runs_somewhere(test, ran))
    for test in nowhere:
        lines.append("%s: %s" % ("ran nowhere" if options.everywhere else "skipped", said(test)))
        lines += ["  %s: %s" % (place, why) for place, why in skipped[test]]
    if times:
        lines += slowest(times)
    if options.stages and os.path.exists(options.stages):
        lines += stages(options.stages)
    print(passed, failed + (len(nowhere) if options.everywhere else 0), 0 if options.everywhere else len(nowhere))
    print("\n".join(lines))


main()
