import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { root } from '../src/source-files.ts'
import { writePage } from './page.ts'
import { passedPercent, type Result, runCases } from './run-cases.ts'
import { trySignalbox } from './try-signalbox.ts'

/**
 * npm run otlp-conformance                                                   tests Signalbox and writes docs/otlp-conformance.md
 * npm run otlp-conformance -- URL [--grpc HOST:PORT] [--header NAME=VALUE]   tests a receiver; exits with 1 if a MUST fails
 */
const { positionals, values } = parseArgs({
	allowPositionals: true,
	options: { grpc: { type: 'string' }, header: { type: 'string', multiple: true, default: [] } },
})

const [url] = positionals
const results = url
	? await runCases({ url, grpc: values.grpc ?? null, headers: headersOf(values.header) })
	: await trySignalbox()
for (const { tried, failure } of results)
	process.stdout.write(
		`${failure === null ? 'pass' : 'FAIL'}  ${tried.level.padEnd(6)} ${tried.id}${failure === null ? '' : `: ${failure}`}\n`,
	)
process.stdout.write(`${passedPercent(results)} % of ${results.length} cases\n`)
if (!url) writeFileSync(join(root, 'docs/otlp-conformance.md'), writePage(results))
if (results.some(isBroken)) process.exitCode = 1

function isBroken({ tried, failure }: Result): boolean {
	return failure !== null && tried.level === 'MUST'
}

function headersOf(given: readonly string[]): Record<string, string> {
	return Object.fromEntries(
		given.map((each) => {
			const at = each.indexOf('=')
			return [each.slice(0, at).toLowerCase(), each.slice(at + 1)]
		}),
	)
}
