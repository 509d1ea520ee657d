#!/usr/bin/env python3
"""sarif-check.py SCHEMA.json FILE.sarif checks a file against the JSON schema of SARIF 2.1.0 that OASIS publishes.
It needs the package jsonschema. If the file is not valid, it prints the first errors and exits 1."""
import json
import sys

import jsonschema

schema, document = (json.load(open(path, encoding="utf-8")) for path in sys.argv[1:3])
validator = jsonschema.validators.validator_for(schema)(schema, format_checker=jsonschema.FormatChecker())
errors = list(validator.iter_errors(document))
for error in errors[:10]:
    print(f"{error.json_path}: {error.message[:200]}")
print(f"{sum(len(run['results']) for run in document['runs'])} results, {len(errors)} errors")
sys.exit(bool(errors))
