import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { longFiles } from './checks/src/long-files.ts'
import { LongestFirst } from './checks/src/longest-first.ts'

// Threads, engines and programs that tests start take their modules from here, compiled, as those of `signalbox start` do.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('./node_modules/.cache/signalbox', import.meta.url))

/**
 * Node loads our modules itself, as it does in the program: it strips the types and keeps what it compiled. To take them through
 * Vite costs up to twice the processor time for a small file. Module mocks, which need it, are used by no test of ours.
 */
const loadedByNode = { viteModuleRunner: false, nodeLoader: false } as const

// Test files make much garbage and keep little: with more room for the young, each collection frees nearly all of it.
const execArgv = ['--max-semi-space-size=32']

/**
 * Files share loaded modules: no module of ours keeps state but the browser, and loading costs more than most tests. And a screen, a row or a sum
 * is there when a busy machine has come to it: what is polled has ten seconds, and is not asked so often that this keeps the machine busy.
 */
const inCommon = { isolate: false, execArgv, expect: { poll: { timeout: 10_000, interval: 100 } } } as const

const leftOut = process.env.VERIFY ? Object.keys(longFiles) : []
// Half of the time a file waits for a program, a socket or a browser: six of them keep both cores of a small machine busy.
const maxWorkers = 6
const templates = 'checks/src/test-templates.ts'
const ofSdk = 'sdk/typescript/src/testing/build.ts'
const ofSecurity = 'checks/security/shared-program.ts'
const minute = 60_000

/** Tests of the server and of what is around it, in processes of Node. */
function nodeTests(name: string, include: string[], more: object) {
	return {
		test: { name, environment: 'node', experimental: loadedByNode, include, ...inCommon, ...more },
	} as const
}

/**
 * `unit` needs no browser and kills nothing; `slow` kills, waits and fuzzes single parts; `system` starts the whole program;
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
 * All of them as one project, for a run of everything: a test process serves files of one project only, and each new one would load the
 * modules again and start an engine or a browser.
 */
const together = [
	nodeTests('everything', ['{contract,server,checks,bench,sdk}/**/*.test.ts'], {
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
				// Each file has a window of its own. A process for each, with React and the screens, took four times the processor time.
				test: {
					name: 'dashboard',
					environment: 'jsdom',
					include: ['src/**/*.test.tsx'],
					isolate: false,
					testTimeout: minute / 2,
					// It extends another configuration than this one; projects that share workers must have as many.
					maxWorkers,
				},
			},
		],
	},
})
