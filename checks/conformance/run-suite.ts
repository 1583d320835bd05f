import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** The frozen sets of scenarios that conformance to a revision requires. Each set runs with the protocol of its revision. */
export const requirementSets = ['2025-11-25', '2026-07-28'] as const
export type RequirementSet = (typeof requirementSets)[number]

export interface ScenarioResult {
	scenario: string
	/** Whether the set requires it. Other scenarios are run and shown, but do not count. */
	required: boolean
	passed: number
	failed: number
	/** The suite's messages about what failed. */
	failures: string[]
	/** Recommendations of the protocol that the server does not follow. The suite does not score them. */
	warnings: string[]
}

interface Check {
	id: string
	status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO'
	errorMessage?: string
	details?: unknown
}

const manifest = createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/package.json')
const outputName = /^(?:server-)?(.+)-\d{4}-\d{2}-\d{2}T[\d-]+Z$/

/** Runs the official suite against a server. Returns one result for each scenario, in the suite's order. */
export function runSuite(url: string, requirements: RequirementSet): Promise<ScenarioResult[]> {
	return runInto(
		['server', '--url', url, '--requirements', requirements],
		{},
		/^=== Running scenario: (\S+) ===$/gm,
	)
}

/** Runs the official suite against our connector as the client that `driverUrl` plays. */
export function runClientSuite(driverUrl: string, requirements: RequirementSet): Promise<ScenarioResult[]> {
	const command = `${process.execPath} ${join(import.meta.dirname, 'client/command.mjs')}`
	const asked = ['client', '--command', command, '--requirements', requirements, '--timeout', '60000']
	return runInto(asked, { SIGNALBOX_DRIVER: driverUrl }, /^[✓✗] (\S+): \d+ passed/gm)
}

async function runInto(asked: readonly string[], environment: Record<string, string>, scenarioLine: RegExp) {
	const output = mkdtempSync(join(tmpdir(), 'signalbox-conformance-'))
	try {
		const printed = await run([...asked, '-o', output], environment)
		const unscored = printed.slice(printed.indexOf('Not scored for'))
		const results = new Map(
			readdirSync(output, { recursive: true, encoding: 'utf8' }).map((name) => read(output, name)),
		)
		const order = [...printed.matchAll(scenarioLine)].map(([, name]) => name as string)
		if (order.length === 0) throw new Error(`The suite ran nothing:\n${printed}`)
		return order.map((scenario) => ({
			scenario,
			required: !new RegExp(`^\\s+\\S+ ${scenario} \\(`, 'm').test(unscored),
			...summarise(results.get(scenario)),
		}))
	} finally {
		rmSync(output, { recursive: true, force: true })
	}
}

function read(output: string, name: string): [string, Check[] | undefined] {
	const directory = join(output, name)
	const scenario = outputName.exec(name)?.[1] ?? name
	return [scenario, existsSync(join(directory, 'checks.json')) ? readChecks(directory) : undefined]
}

function readChecks(directory: string): Check[] {
	return JSON.parse(readFileSync(join(directory, 'checks.json'), 'utf8')) as Check[]
}

/** Evaluates the checks like the suite itself. A scenario without checks has failed. */
function summarise(checks: Check[] | undefined): Omit<ScenarioResult, 'scenario' | 'required'> {
	if (!checks) return { passed: 0, failed: 1, failures: ['The scenario left no result.'], warnings: [] }
	const saying = (wanted: Check['status']) =>
		checks
			.filter(({ status }) => status === wanted)
			.map(({ id, errorMessage, details }) => `${id}: ${errorMessage ?? JSON.stringify(details)}`)
	const failures = saying('FAILURE')
	return {
		passed: saying('SUCCESS').length,
		failed: failures.length,
		failures,
		warnings: saying('WARNING'),
	}
}

/** Ignores the exit code, because the results contain the same information. */
function run(args: readonly string[], environment: Record<string, string>): Promise<string> {
	const child = spawn(process.execPath, [join(dirname(manifest), 'dist/index.js'), ...args], {
		stdio: ['ignore', 'pipe', 'pipe'],
		env: {
			PATH: process.env.PATH,
			NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
			NO_COLOR: '1',
			...environment,
		},
	})
	let printed = ''
	for (const stream of [child.stdout, child.stderr])
		stream.on('data', (chunk: Buffer) => {
			printed += chunk.toString()
		})
	return new Promise((resolve, reject) => {
		child.once('error', reject)
		child.once('close', () => resolve(printed))
	})
}
