import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { longFiles } from './checks/src/long-files.ts'
import { LongestFirst } from './checks/src/longest-first.ts'

// The compile cache of the threads, engines and programs that tests start. `signalbox start` has one too.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('./node_modules/.cache/signalbox', import.meta.url))

/**
 * Node loads our modules itself, as it does in the program: it strips the types and caches the compiled code. Through Vite, a small
 * test file costs up to twice the processor time. Only module mocks need Vite, and no test uses them.
 */
const loadedByNode = { viteModuleRunner: false, nodeLoader: false } as const

// Tests allocate much and keep little. In a larger young generation, each collection frees nearly everything, so that waking helper
// threads for it costs more than they save.
const execArgv = ['--max-semi-space-size=32', '--no-parallel-scavenge']

/**
 * Test files share loaded modules: loading costs more than most tests, and none of our modules has state except the shared browser.
 * A busy machine needs seconds to show a screen, a row or a sum, so `expect.poll` waits for up to ten, at intervals that do not load it.
 */
const inCommon = { isolate: false, execArgv, expect: { poll: { timeout: 10_000, interval: 100 } } } as const

const leftOut = process.env.VERIFY ? Object.keys(longFiles) : []
// A test file waits for half of its time for a program, a socket or a browser, so six files keep two cores busy.
const maxWorkers = 6
const templates = 'checks/src/test-templates.ts'
const ofSdk = 'sdk/typescript/src/testing/build.ts'
const ofSecurity = 'checks/security/shared-program.ts'
const minute = 60_000

/** Tests that run in Node, not in jsdom. */
function nodeTests(name: string, include: string[], more: object) {
	return {
		test: { name, environment: 'node', experimental: loadedByNode, include, ...inCommon, ...more },
	} as const
}

/**
 * `unit` needs no browser and kills no process; `slow` kills, waits for and fuzzes single parts; `system` starts the whole program;
 * `security` attacks it.
 */
const byKind = [
	nodeTests('unit', ['{contract,server,checks,bench,sdk}/**/*.test.ts'], {
		exclude: ['**/node_modules/**', 'checks/{system,security}/**', '**/*.slow.test.ts', ...leftOut],
		globalSetup: [templates],
		testTimeout: minute / 2,
		hookTimeout: minute,
	}),
	nodeTests('slow', ['{server/src,sdk}/**/*.slow.test.ts'], {
		globalSetup: [templates, ofSdk],
		testTimeout: minute,
		hookTimeout: minute,
	}),
	nodeTests('system', ['checks/system/**/*.test.ts'], {
		globalSetup: [templates],
		testTimeout: 10 * minute,
		hookTimeout: 5 * minute,
	}),
	nodeTests('security', ['checks/security/**/*.test.ts'], {
		globalSetup: [templates, ofSecurity],
		testTimeout: 3 * minute,
		hookTimeout: 2 * minute,
	}),
]

/**
 * All tests as one project, for `npm test`. A test process runs files of one project only, and each new process would load the
 * modules again and start an engine or a browser.
 */
const together = [
	nodeTests('everything', ['{contract,server,checks,bench,sdk}/**/*.test.ts'], {
		runner: fileURLToPath(new URL('./checks/src/measuring-runner.ts', import.meta.url)),
		globalSetup: [templates, ofSdk, ofSecurity],
		testTimeout: 10 * minute,
		hookTimeout: 5 * minute,
	}),
]

export default defineConfig({
	test: {
		// All projects share one pool, longest files first, so that no worker idles at the end.
		maxWorkers,
		execArgv,
		sequence: { sequencer: LongestFirst },
		projects: [
			...(process.env.ALL_TESTS ? together : byKind),
			{
				extends: './dashboard/vite.config.ts',
				root: 'dashboard',
				// Each file gets its own window. With a process for each file, the processor time was four times as high.
				test: {
					name: 'dashboard',
					environment: 'jsdom',
					include: ['src/**/*.test.{ts,tsx}'],
					isolate: false,
					testTimeout: minute / 2,
					// Projects that share workers must set the same number, and this one extends another configuration.
					maxWorkers,
				},
			},
		],
	},
})
