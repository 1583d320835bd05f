import type { DemoCall, DemoSession } from './day/session.ts'

type ToolCall = Extract<DemoCall, { tool: string }>

/** What the model of the demo answers: a text, and the tools that it asks for. */
export interface ModelTurn {
	text: string
	uses: readonly { id: string; name: string; arguments: object }[]
}

interface Turn extends ModelTurn {
	results: Map<string, string>
}

/** What a run's user, model and tools say to each other, in the form of either provider. */
export class ReplayConversation {
	readonly #session: DemoSession
	readonly #system: string
	readonly #idOf: (call: ToolCall) => string
	readonly #turns: Turn[] = []

	/** `idOf`: under which a model asks for the call of a tool. */
	constructor(session: DemoSession, system: string, idOf: (call: ToolCall) => string) {
		this.#session = session
		this.#system = system
		this.#idOf = idOf
	}

	/** What the model answers to its call at this place of the run: it asks for the tools that are called next. */
	answerAt(place: number): ModelTurn {
		const { calls, answer } = this.#session
		const after = calls.slice(place + 1)
		const end = after.findIndex((call) => 'model' in call)
		const uses = (end < 0 ? after : after.slice(0, end))
			.filter((call) => 'tool' in call)
			.map((call) => ({ id: this.#idOf(call), name: call.tool, arguments: call.arguments }))
		const names = [...new Set(uses.map(({ name }) => name))].join(' and ')
		return { text: uses.length > 0 ? `I look it up with ${names}.` : answer, uses }
	}

	addAnswer(turn: ModelTurn): void {
		this.#turns.push({ ...turn, results: new Map() })
	}

	/** A call that no model asked for, because its own call was refused, has nobody to answer to. */
	addResult(id: string, result: string): void {
		const turn = this.#turns.at(-1)
		if (turn?.uses.some((use) => use.id === id)) turn.results.set(id, result)
	}

	/** The fields of a request's body that carry what was said so far. */
	fieldsFor(connection: 'anthropic' | 'openai'): object {
		const asked = { role: 'user', content: this.#session.asks }
		if (connection === 'anthropic')
			return { system: this.#system, messages: [asked, ...this.#turns.flatMap(anthropicTurn)] }
		const system = { role: 'system', content: this.#system }
		return { messages: [system, asked, ...this.#turns.flatMap(openaiTurn)] }
	}
}

function anthropicTurn({ text, uses, results }: Turn): object[] {
	const content = anthropicContent({ text, uses })
	const answered = [...results].map(([id, result]) => ({
		...{ type: 'tool_result', tool_use_id: id, content: result },
	}))
	const answer = { role: 'assistant', content }
	return answered.length > 0 ? [answer, { role: 'user', content: answered }] : [answer]
}

function openaiTurn({ text, uses, results }: Turn): object[] {
	const answered = [...results].map(([id, content]) => ({ role: 'tool', tool_call_id: id, content }))
	return [openaiMessage({ text, uses }), ...answered]
}

/** As Anthropic's messages have it. */
export function anthropicContent({ text, uses }: ModelTurn): object[] {
	const asked = uses.map(({ id, name, arguments: input }) => ({ type: 'tool_use', id, name, input }))
	return [{ type: 'text', text }, ...asked]
}

/** As OpenAI's chat completions have it. */
export function openaiMessage({ text, uses }: ModelTurn): object {
	const calls = uses.map(({ id, name, arguments: given }) => ({
		...{ id, type: 'function', function: { name, arguments: JSON.stringify(given) } },
	}))
	return { role: 'assistant', content: text, ...(calls.length > 0 && { tool_calls: calls }) }
}
