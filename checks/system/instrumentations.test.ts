import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type CodingAgent, codingAgents } from '../instrumentations/coding-agents.ts'
import { type InstrumentedProgram, instrumentedPrograms } from '../instrumentations/programs.ts'
import {
	type InstrumentedStage,
	sessionOf,
	startInstrumentedStage,
} from '../instrumentations/run-programs.ts'
import { root } from '../src/source-files.ts'

/** The one that comes with Python may find no versions that fit together, where there are some. */
const pip = 'pip==26.3'
const cache = join(root, 'node_modules/.cache/signalbox-instrumentations')

/** Installs the packages of a program. Returns their folder, or null if they cannot be downloaded. */
function install({ language, kind, packages }: InstrumentedProgram): string | null {
	return installInto(join(cache, `${language}-${kind}`), language, packages)
}

/** Installs a coding agent and runs the install script of its package, if it has one. Returns its folder, or null. */
function installAgent({ kind, packages, finish }: CodingAgent): string | null {
	const home = installInto(join(cache, kind), 'js', packages)
	if (home && finish) spawnSync(process.execPath, [join(home, 'node_modules', finish)], { cwd: home })
	return home
}

function installInto(home: string, language: 'python' | 'js', packages: readonly string[]): string | null {
	const done = join(home, 'installed')
	const wanted = packages.join('\n')
	if (existsSync(done) && readFileSync(done, 'utf8') === wanted) return home
	mkdirSync(home, { recursive: true })
	const run = (command: string, ...args: string[]) =>
		spawnSync(command, args, { cwd: home, stdio: 'ignore' }).status === 0
	const pipInstall = (...names: string[]) => run(join(home, 'bin/python'), '-m', 'pip', 'install', ...names)
	const isInstalled =
		language === 'python'
			? run('python3', '-m', 'venv', home) && pipInstall(pip) && pipInstall(...packages)
			: run('npm', 'install', '--prefix', home, '--legacy-peer-deps', ...packages)
	if (isInstalled) writeFileSync(done, wanted)
	return isInstalled ? home : null
}

// Recordings of what these programs sent are in server/src/insights/spotlight/matrix and are tested on every machine.
describe.runIf(process.env.LONG_TESTS)('instrumented programs through the proxy and the gateway', () => {
	let stage: InstrumentedStage
	beforeAll(async () => {
		stage = await startInstrumentedStage()
	})
	afterAll(() => stage?.close())

	test.for(instrumentedPrograms)(
		'$language $kind is counted once',
		{ timeout: 600_000 },
		async (given, { skip }) => {
			const { done, names, unseen } = given
			const home = install(given)
			if (!home) return skip('its packages cannot be installed here')
			const start = new Date().toISOString()
			await stage.run(given, home)
			await vi.waitFor(async () => {
				const asked = `start=${encodeURIComponent(start)}`
				const overview = await stage.program.api<Record<string, unknown>>(
					'GET',
					`/v1/spotlight/overview?${asked}`,
				)
				const ofSession = await stage.program.api<Record<string, unknown>>(
					'GET',
					`/v1/spotlight/overview?${asked}&session=${sessionOf(given)}`,
				)
				expect([overview, ofSession]).toMatchObject([
					{ model_calls: done.models, tool_calls: done.tools, cost_nano_usd: done.costNanoUsd },
					{
						model_calls: done.models - (names === 'spans' ? unseen.models : 0),
						tool_calls: names === 'spans' ? done.tools : 0,
					},
				])
			}, 10_000)
		},
	)

	test.for(codingAgents)(
		'$kind, as its vendor ships it, is counted once',
		{ timeout: 600_000 },
		async (agent, { skip }) => {
			const home = installAgent(agent)
			if (!home) return skip('its packages cannot be installed here')
			const start = encodeURIComponent(new Date().toISOString())
			await stage.runAgent(agent, home)
			const { models, tools, costNanoUsd } = agent.done
			await vi.waitFor(async () => {
				expect(await stage.program.api('GET', `/v1/spotlight/overview?start=${start}`)).toMatchObject({
					...{ model_calls: models, tool_calls: tools, cost_nano_usd: costNanoUsd, sessions: 1 },
				})
			}, 15_000)
		},
	)
})
