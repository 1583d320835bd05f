import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, beforeEach } from 'vitest'
import type { SpanRow } from '../telemetry/index.ts'
import type { Limits } from './limits.ts'
import { openTestGateway, type TestAgent, type TestGateway } from './testing.ts'
import { newWireClient, type WireAnswer, type WireClient } from './testing-client.ts'
import { type Received, type ScriptedUpstream, startScriptedUpstream } from './testing-upstream.ts'

/** One agent with one tool, `run`, of one server whose answers the test supplies. Agent and session are new for each test. */
export interface CallStage {
	gateway: TestGateway
	upstream: ScriptedUpstream
	agent: TestAgent
	serverId: string
	client: WireClient
	/** How the server answers a call. */
	answer(message: Received, response: ServerResponse): void
	/** Calls `run` with the id 5. */
	call(meta?: object, signal?: AbortSignal): Promise<WireAnswer>
	lastRow(): SpanRow | undefined
}

/** Sets up and tears down the stage for the tests of a file. */
export function useCallStage(limits: Partial<Limits> = {}): CallStage {
	let agents = 0
	const stage: Pick<CallStage, 'answer' | 'call' | 'lastRow'> = {
		answer: () => {},
		call: (_meta = {}, signal) =>
			whole.client.post(
				{ jsonrpc: '2.0', id: 5, method: 'tools/call', params: { name: 'run', _meta } },
				{},
				signal,
			),
		lastRow: () => whole.gateway.rows.filter((row) => row.kind === 'tool_call').at(-1),
	}
	const whole = stage as CallStage
	beforeAll(async () => {
		whole.gateway = await openTestGateway(limits)
		whole.upstream = await startScriptedUpstream([{ name: 'run', inputSchema: {} }], (message, response) =>
			stage.answer(message, response),
		)
		whole.serverId = await whole.gateway.addServer('Tools', whole.upstream.url)
	})
	beforeEach(async () => {
		agents += 1
		whole.agent = await whole.gateway.addAgent(`Rosa ${agents}`)
		await whole.gateway.grant(whole.agent.id, whole.serverId, ['run'])
		whole.client = newWireClient(`${whole.gateway.url}/mcp/tools`, whole.agent.key)
		await whole.client.initialize()
		whole.gateway.rows.length = 0
	})
	afterAll(async () => {
		await whole.gateway?.close()
		await whole.upstream?.close()
	})
	return whole
}
