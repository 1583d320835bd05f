import { randomBytes } from 'node:crypto'
import { toIso } from '../../platform/clock.ts'
import type { Intent, LogRecorder, RecorderStats } from '../../telemetry/index.ts'
import { type DemoAgent, demoAgents, offeredTo } from './demo-agents.ts'
import type { DemoCall, DemoSession } from './demo-day.ts'
import { answerHeader, anthropicContent, type ModelTurn, openaiMessage, usageHeader } from './demo-hosts.ts'
import { schemaOf } from './demo-servers.ts'
import type { IngressClient, IngressRequest } from './ingress-client.ts'
import type { DemoObjects } from './make-objects.ts'

export interface Replay {
	/** Aborted when the program stops. */
	ending: AbortSignal
	/** A client of the real program. */
	client: IngressClient
	/** A client of the program that backdates what it records. */
	past: IngressClient
	recorder: ReplayRecorder
	made: DemoObjects
	/** Everything happened before this time. */
	nowMs: number
}

/** A replayed run, as the telemetry of its own program shows it. */
export interface ReplayedRun {
	agent: DemoAgent
	user: string
	conversation: string
	traceId: string
	startMs: number
	endMs: number
	steps: ReplayedStep[]
}

interface ReplayedStep {
	spanId: string
	name: string
	/** The connection of a model call; null for a tool call. */
	connection: string | null
	startMs: number
	endMs: number
	failed: boolean
}

const minuteMs = 60_000
const protocolVersion = '2026-07-28'

/** Sends the calls of a run one after the other. */
export async function replaySession(replay: Replay, session: DemoSession): Promise<ReplayedRun> {
	const agent = demoAgents.find(({ key }) => key === session.agent) as DemoAgent
	const startMs = replay.nowMs - session.minutesAgo * minuteMs
	const run: ReplayedRun = {
		...{ agent, user: session.user, traceId: newId(16), startMs, endMs: startMs, steps: [] },
		conversation: `${session.agent}-${toIso(startMs).slice(0, 16)}`,
	}
	const credential = replay.made.agents.get(session.agent)?.key ?? ''
	const client = replay.past.as(credential)
	const ids = new Map(session.calls.map((call) => [call, `toolu_${newId(12)}`]))
	const idOf = (call: DemoCall) => ids.get(call) ?? ''
	const conversation = new ReplayConversation(session, agent, idOf)
	for (const [place, call] of session.calls.entries()) {
		const step = {
			...{ spanId: newId(8), name: nameOf(call), connection: 'model' in call ? call.connection : null },
			...{ startMs: run.endMs, endMs: run.endMs + call.ms },
		}
		const time = {
			...{ startNs: BigInt(step.startMs) * 1_000_000n, durationNs: BigInt(call.ms) * 1_000_000n },
		}
		await replay.recorder.dating(step.spanId, time, async () => {
			const traceparent = `00-${run.traceId}-${step.spanId}-01`
			if ('tool' in call) {
				const slug = replay.made.servers.get(call.host)?.slug ?? ''
				const { status, text } = await client.send(toolRequest(slug, run, traceparent, call, idOf(call)))
				conversation.addResult(idOf(call), resultIn(text))
				run.steps.push({ ...step, failed: status >= 400 })
			} else {
				const turn = conversation.answerAt(place)
				const conversationFields = conversation.fieldsFor(call.connection, step.startMs)
				const { status } = await client.send(modelRequest(run, traceparent, call, conversationFields, turn))
				if (status < 400) conversation.addAnswer(turn)
				run.steps.push({ ...step, failed: status >= 400 })
			}
		})
		run.endMs = step.endMs + session.pauseMs
	}
	return run
}

export function newId(bytes: number): string {
	return randomBytes(bytes).toString('hex')
}

function nameOf(call: DemoCall): string {
	return 'tool' in call ? `use ${call.tool}` : `think with ${call.model}`
}

/** The text of a tool result, as its agent passes it to the model. */
function resultIn(text: string): string {
	const json = text.startsWith('{') ? text : (/^data: ?(\{.*)$/m.exec(text)?.[1] ?? '{}')
	const { result, error } = JSON.parse(json) as {
		result?: { content?: { text?: string }[] }
		error?: { message?: string }
	}
	return error?.message ?? result?.content?.map((part) => part.text ?? '').join('\n') ?? ''
}

function toolRequest(
	slug: string,
	{ agent, conversation }: ReplayedRun,
	traceparent: string,
	call: Extract<DemoCall, { tool: string }>,
	toolUseId: string,
): IngressRequest {
	const [name, version] = agent.client
	const meta = {
		'io.modelcontextprotocol/protocolVersion': protocolVersion,
		'io.modelcontextprotocol/clientCapabilities': {},
		'io.modelcontextprotocol/clientInfo': { name, version },
		threadId: conversation,
		callId: toolUseId,
	}
	const headers = {
		'mcp-protocol-version': protocolVersion,
		'mcp-method': 'tools/call',
		'mcp-name': call.tool,
		accept: 'application/json, text/event-stream',
		traceparent,
	}
	const params = { name: call.tool, arguments: call.arguments, _meta: meta }
	const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
	return { method: 'POST', path: `/mcp-key/${slug}`, headers, body }
}

function modelRequest(
	{ agent, conversation, user }: ReplayedRun,
	traceparent: string,
	{ connection, model, usage }: Extract<DemoCall, { model: string }>,
	conversationFields: object,
	turn: ModelTurn,
): IngressRequest {
	const headers = {
		traceparent,
		'user-agent': agent.client.join('/'),
		'x-signalbox-session-id': conversation,
		'x-signalbox-tags': 'demo',
		...(user && { 'x-signalbox-user-id': user }),
		[usageHeader]: usage.join(','),
		[answerHeader]: Buffer.from(JSON.stringify(turn)).toString('base64'),
	}
	const path = connection === 'anthropic' ? 'anthropic/v1/messages' : 'openai/v1/chat/completions'
	const most = connection === 'anthropic' ? { max_tokens: 2000 } : { max_completion_tokens: 2000 }
	return { method: 'POST', path: `/proxy/${path}`, headers, body: { model, ...conversationFields, ...most } }
}

type ToolCall = Extract<DemoCall, { tool: string }>

interface Turn extends ModelTurn {
	results: Map<string, string>
}

/** The conversation of a run between user, model and tools, in the format of either provider. */
export class ReplayConversation {
	readonly #session: DemoSession
	readonly #agent: DemoAgent
	readonly #idOf: (call: ToolCall) => string
	readonly #turns: Turn[] = []

	/** `idOf` returns the id under which a model requests a tool call. */
	constructor(session: DemoSession, agent: DemoAgent, idOf: (call: ToolCall) => string) {
		this.#session = session
		this.#agent = agent
		this.#idOf = idOf
	}

	/** The model's response at this place of the run: it requests the tools that are called next. */
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

	/** A call that no model requested, because the model call was refused, needs no result. */
	addResult(id: string, result: string): void {
		const turn = this.#turns.at(-1)
		if (turn?.uses.some((use) => use.id === id)) turn.results.set(id, result)
	}

	/** The fields of a request body with the conversation so far, and the available tools. */
	fieldsFor(connection: 'anthropic' | 'openai', atMs: number): object {
		const asked = { role: 'user', content: this.#session.asks }
		const { system: text, promptHasTime } = this.#agent
		const system = promptHasTime ? `It is ${toIso(atMs)}. ${text}` : text
		const tools = offeredTo(this.#agent).map((tool) => {
			const { name, description } = tool
			if (connection === 'anthropic') return { name, description, input_schema: schemaOf(tool) }
			return { type: 'function', function: { name, description, parameters: schemaOf(tool) } }
		})
		if (connection === 'anthropic')
			return { system, tools, messages: [asked, ...this.#turns.flatMap(anthropicTurn)] }
		return {
			tools,
			messages: [{ role: 'system', content: system }, asked, ...this.#turns.flatMap(openaiTurn)],
		}
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

/** The start and duration of a replayed call. */
interface RecordedTime {
	startNs: bigint
	durationNs: bigint
}

/** How to date the facts that calls of a kind leave in the log. The areas that make rows of them know their format. */
export type FactsInTime = Readonly<Partial<Record<Parameters<LogRecorder['announce']>[0], DateFacts>>>

interface DateFacts {
	parentSpanOf(announced: Uint8Array): string
	/** The facts with the start time of the call replaced. */
	begunAt(announced: Uint8Array, startNs: bigint): Uint8Array
	/** The facts of the end with the duration of the call replaced. */
	endedAfter(ended: Uint8Array, durationNs: bigint): Uint8Array
}

/**
 * The recorder of the replay: it records calls with the times of the demo's day and marks them. It belongs to the program that the
 * replay runs beside the real one, so no other call is recorded by it.
 */
export class ReplayRecorder implements LogRecorder {
	readonly #log: LogRecorder
	readonly #facts: FactsInTime
	/** By parent span, while the call runs. */
	readonly #times = new Map<string, RecordedTime>()
	readonly #announced = new WeakMap<Intent, (ended: Uint8Array) => Uint8Array>()

	constructor(log: LogRecorder, facts: FactsInTime) {
		this.#log = log
		this.#facts = facts
	}

	/** Backdates the call with this parent span while `call` runs. */
	async dating<T>(parentSpanId: string, time: RecordedTime, call: () => Promise<T>): Promise<T> {
		this.#times.set(parentSpanId, time)
		try {
			return await call()
		} finally {
			this.#times.delete(parentSpanId)
		}
	}

	announce: LogRecorder['announce'] = async (kind, workspaceId, facts) => {
		const dates = this.#facts[kind]
		const time = this.#times.get(dates?.parentSpanOf(facts) ?? '')
		if (!dates || !time) return this.#log.announce(kind, workspaceId, facts)
		const intent = await this.#log.announce(kind, workspaceId, dates.begunAt(facts, time.startNs))
		this.#announced.set(intent, (ended) => dates.endedAfter(ended, time.durationNs))
		return intent
	}

	conclude(intent: Intent, facts: Uint8Array): Promise<void> {
		const dated = this.#announced.get(intent)?.(facts) ?? facts
		return this.#log.conclude(intent, dated)
	}

	announceTo: LogRecorder['announceTo'] = (listener, ...call) => {
		this.announce(...call).then(
			(intent) => listener.onAnnounced(intent),
			(error: unknown) => listener.onRefused(error),
		)
	}

	concludeTo: LogRecorder['concludeTo'] = (listener, ...end) => {
		this.conclude(...end).then(
			() => listener.onRecorded(),
			(error: unknown) => listener.onUnrecorded(error),
		)
	}

	servesUnrecorded(): boolean {
		return false
	}

	append: LogRecorder['append'] = (rows) => this.#log.append(rows)

	/** The real program makes the rows of all calls and displays them. */
	makeRows(): void {}
	onRecorded(): () => void {
		return () => undefined
	}

	knows(key: string): boolean {
		return this.#log.knows(key)
	}

	recordedKeys(): string[] {
		return this.#log.recordedKeys()
	}

	onStored: LogRecorder['onStored'] = (listener) => this.#log.onStored(listener)
	takeArrived: LogRecorder['takeArrived'] = (...of) => this.#log.takeArrived(...of)

	newest: LogRecorder['newest'] = (...of) => this.#log.newest(...of)

	storeSoon(): void {
		this.#log.storeSoon()
	}

	watched(): Promise<boolean> {
		return this.#log.watched()
	}

	stats(): RecorderStats {
		return this.#log.stats()
	}

	whenRowsMade(): Promise<void> {
		return this.#log.whenRowsMade()
	}

	snapshot: LogRecorder['snapshot'] = (work) => this.#log.snapshot(work)
	shed: LogRecorder['shed'] = (waitMs) => this.#log.shed(waitMs)
	shedSubject: LogRecorder['shedSubject'] = (subject, waitMs) => this.#log.shedSubject(subject, waitMs)
	/** The log belongs to the real program. */
	async close(): Promise<void> {}
}
