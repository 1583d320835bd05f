import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type InstrumentedProgram, instrumentedPrograms } from '../instrumentations/programs.ts'
import {
	type InstrumentedStage,
	sessionOf,
	startInstrumentedStage,
} from '../instrumentations/run-programs.ts'
import { root } from '../src/source-files.ts'

const cache = join(root, 'node_modules/.cache/signalbox-instrumentations')

/** Where a program's packages are, or null where they cannot be fetched. */
function install({ language, kind, packages }: InstrumentedProgram): string | null {
	const home = join(cache, `${language}-${kind}`)
	const done = join(home, 'installed')
	if (existsSync(done)) return home
	mkdirSync(home, { recursive: true })
	const run = (command: string, ...args: string[]) =>
		spawnSync(command, args, { cwd: home, stdio: 'ignore' }).status === 0
	const isInstalled =
		language === 'python'
			? run('python3', '-m', 'venv', home) && run(join(home, 'bin/pip'), 'install', ...packages)
			: run('npm', 'install', '--prefix', home, '--legacy-peer-deps', ...packages)
	if (isInstalled) writeFileSync(done, '')
	return isInstalled ? home : null
}

// What they sent once is kept as recordings too (server/src/insights/spotlight/matrix), which every machine tests.
describe.runIf(process.env.LONG_TESTS)('instrumented programs through the proxy and the gateway', () => {
	let stage: InstrumentedStage
	beforeAll(async () => {
		stage = await startInstrumentedStage()
	})
	afterAll(() => stage?.close())

	test.each(instrumentedPrograms)(
		'$language $kind is counted once',
		async (given) => {
			const { done, names, unseen } = given
			const home = install(given)
			if (!home) return console.warn(`${given.language} ${given.kind} cannot be installed here`)
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
		600_000,
	)
})
