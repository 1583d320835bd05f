import { Problem } from '../errors.ts'

/** What a process answers; `from` is the number of the one that asks. */
// biome-ignore lint/suspicious/noExplicitAny: each answer names the type of what it is asked, which is plain data of our own.
export type Answer = (input: any, from: number) => unknown

/**
 * The processes of one program, which share its ports. Number 0 is the primary, and by default the only one. A worker reaches
 * the primary, the primary reaches every worker; what is sent is plain data.
 */
export interface Processes {
	readonly number: number
	/** Those that this one reaches now. */
	others(): readonly number[]
	/** Sets what others get when they ask or tell this. */
	answer(name: string, answer: Answer): void
	/** Rejects as the other one's answer does; with Problem `store_unavailable` when that process is gone. */
	ask<Output>(to: number, name: string, input?: unknown): Promise<Output>
	/** Tells another one, or all others: those too that only the primary reaches. Waits for nothing. */
	tell(to: number | 'all', name: string, input?: unknown): void
	/** Called with the number of a process that ended. */
	onEnded(listener: (number: number) => void): void
}

export const primary = 0

/** The one process of a program without workers. */
export const alone: Processes = {
	number: primary,
	others: () => [],
	answer: () => undefined,
	ask: async () => {
		throw processGone()
	},
	tell: () => undefined,
	onEnded: () => undefined,
}

export function processGone(): Problem {
	return new Problem('store_unavailable', 'Another process of the program does not answer.', {
		retryAfterS: 1,
	})
}
