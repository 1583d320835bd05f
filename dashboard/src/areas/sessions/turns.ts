import type { SessionCall } from './queries.ts'

/** A call of the timeline; what a shared session does not tell is absent. */
export type TimelineCall = Omit<SessionCall, 'trace_id' | 'span_id'> & Partial<SessionCall>

/** A model call and the tool calls until the next one. */
export interface Turn {
	/** 0 is what ran before the first model call. */
	number: number
	model: TimelineCall | null
	tools: TimelineCall[]
}

/** Calls in the order of time, put together by their turns. */
export function toTurns(calls: readonly TimelineCall[]): Turn[] {
	const turns = new Map<number, Turn>()
	for (const call of calls) {
		const turn = turns.get(call.turn) ?? { number: call.turn, model: null, tools: [] }
		turns.set(call.turn, turn)
		if (call.kind === 'model_call') turn.model = call
		else turn.tools.push(call)
	}
	return [...turns.values()]
}
