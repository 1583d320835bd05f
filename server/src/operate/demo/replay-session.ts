import { randomBytes } from 'node:crypto'
import { toIso } from '../../platform/clock.ts'
import { type DemoAgent, demoAgents } from './day/agents.ts'
import type { DemoCall, DemoSession } from './day/session.ts'
import type { DemoContext } from './demo-context.ts'
import { answerHeader, usageHeader } from './hosts/answer-model.ts'
import type { IngressClient, IngressRequest } from './ingress-client.ts'
import type { Made } from './make-objects.ts'
import { type ModelTurn, ReplayConversation } from './replay-conversation.ts'

export interface Replay {
	demo: Pick<DemoContext, 'times' | 'ending'>
	client: IngressClient
	workspaceId: string
	made: Made
	/** Before which everything happened. */
	nowMs: number
}

/** A run that was replayed, as its own program's telemetry tells of it. */
export interface ReplayedRun {
	agent: DemoAgent
	user: string
	conversation: string
	traceId: string
	startMs: number
	endMs: number
	steps: { spanId: string; name: string; startMs: number; endMs: number; failed: boolean }[]
}

const minuteMs = 60_000
const protocolVersion = '2026-07-28'

/** Sends the calls of a run, one after the other, as they were recorded. */
export async function replaySession(replay: Replay, session: DemoSession): Promise<ReplayedRun> {
	const agent = demoAgents.find(({ key }) => key === session.agent) as DemoAgent
	const startMs = replay.nowMs - session.minutesAgo * minuteMs
	const run: ReplayedRun = {
		...{ agent, user: session.user, traceId: newId(16), startMs, endMs: startMs, steps: [] },
		conversation: `${session.agent}-${toIso(startMs).slice(0, 16)}`,
	}
	const credential = replay.made.agents.get(session.agent)?.key ?? ''
	const client = replay.client.as(credential)
	const ids = new Map(session.calls.map((call) => [call, `toolu_${newId(12)}`]))
	const idOf = (call: DemoCall) => ids.get(call) ?? ''
	const conversation = new ReplayConversation(session, agent.system, idOf)
	for (const [place, call] of session.calls.entries()) {
		const step = { spanId: newId(8), name: nameOf(call), startMs: run.endMs, endMs: run.endMs + call.ms }
		replay.demo.times.set(replay.workspaceId, step.spanId, {
			...{ startNs: BigInt(step.startMs) * 1_000_000n, durationNs: BigInt(call.ms) * 1_000_000n },
		})
		try {
			const traceparent = `00-${run.traceId}-${step.spanId}-01`
			if ('tool' in call) {
				const slug = replay.made.servers.get(call.host)?.slug ?? ''
				const { status, text } = await client.send(toolRequest(slug, run, traceparent, call, idOf(call)))
				conversation.addResult(idOf(call), resultIn(text))
				run.steps.push({ ...step, failed: status >= 400 })
			} else {
				const turn = conversation.answerAt(place)
				const said = conversation.fieldsFor(call.connection)
				const { status } = await client.send(modelRequest(run, traceparent, call, said, turn))
				if (status < 400) conversation.addAnswer(turn)
				run.steps.push({ ...step, failed: status >= 400 })
			}
		} finally {
			replay.demo.times.forget(replay.workspaceId, step.spanId)
		}
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

/** What a tool said, as its agent gives it to the model. */
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
	said: object,
	turn: ModelTurn,
): IngressRequest {
	const headers = {
		traceparent,
		'user-agent': agent.client.join('/'),
		'x-signalbox-session-id': conversation,
		...(user && { 'x-signalbox-user-id': user }),
		[usageHeader]: usage.join(','),
		[answerHeader]: Buffer.from(JSON.stringify(turn)).toString('base64'),
	}
	const path = connection === 'anthropic' ? 'anthropic/v1/messages' : 'openai/v1/chat/completions'
	const most = connection === 'anthropic' ? { max_tokens: 2000 } : { max_completion_tokens: 2000 }
	return { method: 'POST', path: `/proxy/${path}`, headers, body: { model, ...said, ...most } }
}
