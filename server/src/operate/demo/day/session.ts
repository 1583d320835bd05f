import type { DemoAgent } from './agents.ts'

/** A call as it was recorded: what was asked, and how long the answer took. */
export type DemoCall = { ms: number } & (
	| { tool: string; host: string; arguments: Readonly<Record<string, unknown>> }
	/** Usage in tokens. */
	| {
			model: string
			connection: 'anthropic' | 'openai'
			usage: readonly [input: number, cached: number, output: number]
	  }
)

/** One run of an agent: its calls follow one another. */
export interface DemoSession {
	agent: DemoAgent['key']
	/** Who ran it; '' for nobody. */
	user: string
	/** What the agent is asked to do, and what its model says at the end. */
	asks: string
	answer: string
	/** When it began, in minutes before the demo is made. */
	minutesAgo: number
	/** Between the end of a call and the next one. */
	pauseMs: number
	calls: readonly DemoCall[]
}

/** The server of a host is replaced by its next release. */
export interface DemoRelease {
	host: string
	minutesAgo: number
}
