import type { DemoAgent } from './demo-agents.ts'

/** A recorded call: the request, and how long the response took. */
export type DemoCall = { ms: number } & (
	| { tool: string; host: string; arguments: Readonly<Record<string, unknown>> }
	/** Usage in tokens. */
	| {
			model: string
			connection: 'anthropic' | 'openai'
			usage: readonly [input: number, cached: number, output: number]
	  }
)

/** One run of an agent, with its calls in sequence. */
export interface DemoSession {
	agent: DemoAgent['key']
	/** The person who started it; '' for nobody. */
	user: string
	/** The task of the agent, and the final answer of its model. */
	asks: string
	answer: string
	/** Its start, in minutes before the demo is created. */
	minutesAgo: number
	/** Pause between the end of a call and the next one. */
	pauseMs: number
	calls: readonly DemoCall[]
}

/** The server of a host is upgraded to its next release. */
export interface DemoRelease {
	host: string
	minutesAgo: number
}

/** A seeded pseudo-random generator (mulberry32), so that everybody sees the same day. */
class Dice {
	#state: number

	constructor(seed: number) {
		this.#state = seed
	}

	/** At least 0, less than 1. */
	next(): number {
		this.#state = (this.#state + 0x6d2b79f5) | 0
		let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
		mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
	}

	/** An integer, both bounds inclusive. */
	between(min: number, max: number): number {
		return min + Math.floor(this.next() * (max - min + 1))
	}

	pick<T>(from: readonly T[]): T {
		return from[Math.floor(this.next() * from.length)] as T
	}
}

const dayMinutes = 24 * 60
const slowFromMinutesAgo = 9 * 60
const changedFromMinutesAgo = 25

/** The two servers whose new release changes something. */
export const demoReleases: readonly DemoRelease[] = [
	{ host: 'builds', minutesAgo: slowFromMinutesAgo },
	{ host: 'issues', minutesAgo: changedFromMinutesAgo },
]

/** The runs of the day, earliest first. */
export function demoDay(): DemoSession[] {
	const dice = new Dice(7)
	const usual: DemoSession[] = []
	for (let minutesAgo = dayMinutes - 5; minutesAgo > 6; minutesAgo -= dice.between(6, 12))
		usual.push(usualSession(dice, minutesAgo))
	return [...usual, ...special(dice)].toSorted((a, b) => b.minutesAgo - a.minutesAgo)
}

function usualSession(dice: Dice, minutesAgo: number): DemoSession {
	const make = dice.pick([supportSession, supportSession, releaseSession, codingSession])
	return make(dice, minutesAgo)
}

/** Runs that a reader should discover: one over its budget, failures, a changed tool, a call that waits, and a loop. */
function special(dice: Dice): DemoSession[] {
	const research = {
		agent: 'research',
		user: '',
		pauseMs: 900,
		asks: 'Summarise the manual, chapter by chapter.',
		answer: 'The chapter explains how exports are made, and what limits them.',
	} as const
	return [
		{ ...research, minutesAgo: 380, calls: researchCalls(dice, 12) },
		...[13, 11, 8].map((minutesAgo) => failingSession(dice, minutesAgo)),
		...[20, 15].map((minutesAgo) => filingSession(dice, minutesAgo)),
		brokenBuildSession(dice),
		refusedArgumentsSession(dice),
		{
			...{ agent: 'coding', user: 'mara@example.org', minutesAgo: 9, pauseMs: 1500 },
			asks: 'Issue 799 is a duplicate. Delete it, please.',
			answer: 'A person has to approve the deletion first.',
			calls: deletionCalls(dice),
		},
		{
			...{ agent: 'coding', user: 'jon@example.org', minutesAgo: 5, pauseMs: 12_000 },
			asks: 'Why does build 4711 fail?',
			answer: 'The build is still running, so its log has no end yet.',
			calls: loopCalls(dice),
		},
	]
}

function supportSession(dice: Dice, minutesAgo: number): DemoSession {
	const number = dice.between(800, 816)
	const isRude = dice.next() < 0.06
	const files = minutesAgo > changedFromMinutesAgo && dice.next() < 0.4
	const calls = [
		haiku(dice),
		tool(dice, 'issues', 'list_issues', { project: 'export' }),
		tool(dice, 'docs', 'search_docs', { query: dice.pick(['row limit', 'csv', 'time zones', 'sign-in']) }),
		haiku(dice),
		tool(dice, 'issues', 'get_issue', { number }),
		...(files
			? [tool(dice, 'issues', 'create_issue', { project: 'export', title: 'Export stops early' })]
			: []),
		// It has no grant for this tool.
		...(isRude ? [tool(dice, 'issues', 'delete_issue', { number })] : []),
		haiku(dice),
	]
	const asks = 'A customer writes that the export stops after 1,000 rows. Do we know about it?'
	const answer = `Yes: issue ${number} is about it. The manual names the limit and how to go round it.`
	return { agent: 'support', user: '', minutesAgo, pauseMs: 700, asks, answer, calls }
}

function releaseSession(dice: Dice, minutesAgo: number): DemoSession {
	const branch = dice.pick(['main', 'release/8.2', 'release/8.3'])
	const isSlow = minutesAgo < slowFromMinutesAgo
	const calls = [
		mini(dice),
		buildTool(dice, 'list_builds', { branch }, isSlow),
		buildTool(dice, 'get_build_log', { build: dice.between(4600, 4710) }, isSlow),
		mini(dice),
		buildTool(dice, 'trigger_build', { branch }, isSlow),
		...(dice.next() < 0.15 ? [tool(dice, 'issues', 'delete_issue', { number: dice.between(700, 799) })] : []),
	]
	const asks = `The last build of ${branch} failed. Find out why, and start it again.`
	const answer = `I read the log and started another build of ${branch}.`
	return { agent: 'release', user: '', minutesAgo, pauseMs: 1200, asks, answer, calls }
}

function codingSession(dice: Dice, minutesAgo: number): DemoSession {
	const isSlow = minutesAgo < slowFromMinutesAgo
	const calls = [
		sonnet(dice),
		tool(dice, 'docs', 'search_docs', { query: dice.pick(['streaming', 'pagination', 'retries']) }),
		tool(dice, 'docs', 'fetch_page', { path: dice.pick(['/guide/streams', '/guide/pages', '/api/retries']) }),
		sonnet(dice),
		buildTool(dice, 'list_builds', { branch: 'main' }, isSlow),
		sonnet(dice),
	]
	const user = dice.pick(['mara@example.org', 'jon@example.org', 'lea@example.org'])
	const asks = 'How should the client read long lists, and do the builds of main pass with that?'
	const answer = 'The guide reads them page by page. Build 4710 of main passed with it, 4711 did not.'
	return { agent: 'coding', user, minutesAgo, pauseMs: 2500, asks, answer, calls }
}

function researchCalls(dice: Dice, rounds: number): DemoCall[] {
	return Array.from({ length: rounds }, (_, round) => [
		opus(dice),
		tool(dice, 'docs', 'fetch_page', { path: `/manual/chapter-${round + 1}` }),
	]).flat()
}

function failingSession(dice: Dice, minutesAgo: number): DemoSession {
	const page = (number: number) => ({
		...tool(dice, 'docs', 'fetch_page', { path: `/archive/${2019 + number}` }),
		ms: 10_000 + dice.between(4, 40),
	})
	return {
		agent: 'support',
		user: '',
		minutesAgo,
		pauseMs: 400,
		asks: 'A customer asks how exports worked before 2023.',
		answer: 'The archive does not answer; a person takes the ticket.',
		calls: [haiku(dice), ...[0, 1, 2, 3].map(page)],
	}
}

/** The tool that it uses to file issues requires approval by then. */
function filingSession(dice: Dice, minutesAgo: number): DemoSession {
	const issue = { project: 'export', title: 'Dates are a day early' }
	const calls = [haiku(dice), tool(dice, 'issues', 'create_issue', issue)]
	const asks =
		'A customer (kim@customer.example) writes that dates in the export are a day early. File an issue.'
	const answer = 'The tool that files issues waits for approval.'
	return { agent: 'support', user: '', minutesAgo, pauseMs: 700, asks, answer, calls }
}

/** The build system fails with a long message. */
function brokenBuildSession(dice: Dice): DemoSession {
	return {
		...{ agent: 'release', user: '', minutesAgo: 52, pauseMs: 1200 },
		asks: 'Build the maintenance branch 7.9.',
		answer: 'The build could not be started: its container image is gone.',
		calls: [
			mini(dice),
			buildTool(dice, 'list_builds', { branch: 'release/7.9' }, true),
			buildTool(dice, 'trigger_build', { branch: 'release/7.9' }, true),
			mini(dice),
		],
	}
}

/** Its model passes a number as a string, until the server's error message corrects it. */
function refusedArgumentsSession(dice: Dice): DemoSession {
	const read = (number: unknown) => tool(dice, 'issues', 'get_issue', { number })
	return {
		...{ agent: 'release', user: '', minutesAgo: 74, pauseMs: 900 },
		asks: 'Does issue 812 block the release?',
		answer: 'No: issue 812 is about exports, which this release does not touch.',
		calls: [mini(dice), read('812'), read('#812'), read(812), mini(dice)],
	}
}

function deletionCalls(dice: Dice): DemoCall[] {
	return [
		sonnet(dice),
		tool(dice, 'issues', 'get_issue', { number: 799 }),
		// A person must approve this call.
		tool(dice, 'issues', 'delete_issue', { number: 799 }),
	]
}

function loopCalls(dice: Dice): DemoCall[] {
	const look = () => buildTool(dice, 'get_build_log', { build: 4711 }, true)
	return [sonnet(dice), ...Array.from({ length: 16 }, look), sonnet(dice)]
}

function tool(dice: Dice, host: string, name: string, values: Readonly<Record<string, unknown>>): DemoCall {
	return { host, tool: name, arguments: values, ms: dice.between(70, 260) }
}

function buildTool(
	dice: Dice,
	name: string,
	values: Readonly<Record<string, unknown>>,
	isSlow: boolean,
): DemoCall {
	const ms = isSlow ? dice.between(700, 1600) : dice.between(150, 340)
	return { ...tool(dice, 'builds', name, values), ms }
}

function haiku(dice: Dice): DemoCall {
	const usage = [dice.between(900, 2400), dice.between(8000, 20_000), dice.between(120, 420)] as const
	return { connection: 'anthropic', model: 'claude-haiku-4-5', usage, ms: dice.between(600, 1900) }
}

function mini(dice: Dice): DemoCall {
	const usage = [dice.between(600, 1800), dice.between(2000, 6000), dice.between(150, 500)] as const
	return { connection: 'openai', model: 'gpt-5-mini', usage, ms: dice.between(900, 2600) }
}

function sonnet(dice: Dice): DemoCall {
	const usage = [dice.between(3000, 9000), dice.between(30_000, 70_000), dice.between(400, 1200)] as const
	return { connection: 'anthropic', model: 'claude-sonnet-4-5', usage, ms: dice.between(2500, 9000) }
}

function opus(dice: Dice): DemoCall {
	const usage = [dice.between(42_000, 52_000), 0, dice.between(1200, 1800)] as const
	return { connection: 'anthropic', model: 'claude-opus-4-5', usage, ms: dice.between(9000, 22_000) }
}
