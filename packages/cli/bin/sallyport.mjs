#!/usr/bin/env node
import { runFile } from '../../../scripts/launch/run.mjs'

await runFile('packages/cli/src/main.ts', process.argv.slice(2))
