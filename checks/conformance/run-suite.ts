import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** The frozen sets of scenarios that conformance to a revision requires; each runs at its own wire. */
export const requirementSets = ['2025-11-25', '2026-07-28'] as const
export type RequirementSet = (typeof requirementSets)[number]

export interface ScenarioResult {
	scenario: string
	/** Whether the set requires it; the rest is run and shown only. */
	required: boolean
	passed: number
	failed: number
	/** What failed, as the suite says it. */
	failures: string[]
	/** What the protocol only recommends and the server does not do; the suite scores it not. */
	warnings: string[]
}

interface Check {
	id: string
	status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO'
	errorMessage?: string
}

const manifest = createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/package.json')
const outputName = /^server-(.+)-\d{4}-\d{2}-\d{2}T[\d-]+Z$/

/** Runs the official suite against a server; one line a scenario, in the suite's order. */
export async function runSuite(url: string, requirements: RequirementSet): Promise<ScenarioResult[]> {
	const output = mkdtempSync(join(tmpdir(), 'signalbox-conformance-'))
	try {
		const said = await run(['server', '--url', url, '--requirements', requirements, '-o', output])
		const unscored = said.slice(said.indexOf('Not scored for'))
		const results = new Map(
			readdirSync(output).map((name) => [outputName.exec(name)?.[1] ?? name, readChecks(join(output, name))]),
		)
		const order = [...said.matchAll(/^=== Running scenario: (\S+) ===$/gm)].map(([, name]) => name as string)
		if (order.length === 0) throw new Error(`The suite ran nothing:\n${said}`)
		return order.map((scenario) => ({
			scenario,
			required: !new RegExp(`^\\s+\\S+ ${scenario} \\(`, 'm').test(unscored),
			...summarise(results.get(scenario)),
		}))
	} finally {
		rmSync(output, { recursive: true, force: true })
	}
}

function readChecks(directory: string): Check[] {
	return JSON.parse(readFileSync(join(directory, 'checks.json'), 'utf8')) as Check[]
}

/** Judged as the suite itself does; no checks at all is a failure. */
function summarise(checks: Check[] | undefined): Omit<ScenarioResult, 'scenario' | 'required'> {
	if (!checks) return { passed: 0, failed: 1, failures: ['The scenario left no result.'], warnings: [] }
	const saying = (wanted: Check['status']) =>
		checks
			.filter(({ status }) => status === wanted)
			.map(({ id, errorMessage }) => `${id}: ${errorMessage ?? 'no reason given'}`)
	const failures = saying('FAILURE')
	return {
		passed: saying('SUCCESS').length,
		failed: failures.length,
		failures,
		warnings: saying('WARNING'),
	}
}

/** Its exit code says no more than its results do. */
function run(args: readonly string[]): Promise<string> {
	const child = spawn(process.execPath, [join(dirname(manifest), 'dist/index.js'), ...args], {
		stdio: ['ignore', 'pipe', 'pipe'],
		env: { PATH: process.env.PATH, NO_COLOR: '1' },
	})
	let said = ''
	for (const stream of [child.stdout, child.stderr])
		stream.on('data', (chunk: Buffer) => {
			said += chunk.toString()
		})
	return new Promise((resolve, reject) => {
		child.once('error', reject)
		child.once('close', () => resolve(said))
	})
}
