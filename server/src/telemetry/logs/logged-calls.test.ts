import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { decodeSpanBlock } from '../blocks/span-block.ts'
import { spansOf, transcodeOptions } from '../otlp/recorded/spans-of.testing.ts'
import type { SpanRow } from '../span-row.ts'
import { transcodeLogsJson } from './transcode-logs.ts'

const callsIn = (body: Buffer) => {
	const { calls } = transcodeLogsJson(body, transcodeOptions)
	return calls ? decodeSpanBlock(calls.rows) : []
}
const callsOf = (program: string) =>
	callsIn(readFileSync(new URL(`recorded/${program}.json`, import.meta.url)))
const logged = ({ kind, model, modelRequested, toolName, ...row }: SpanRow) => [
	kind === 'tool_call' ? toolName : model || modelRequested,
	[row.inputTokens, row.cacheReadTokens, row.cacheWriteTokens, row.outputTokens, row.reasoningTokens].join(
		'/',
	),
	`${row.durationNs / 1_000_000n} ms`,
]

test('Claude Code', () => {
	const calls = callsOf('claude-code')
	expect(calls.map(logged)).toEqual([
		['claude-sonnet-4-5', '120/200/30/42/0', '163 ms'],
		['claude-sonnet-4-5', '120/200/30/42/0', '256 ms'],
		['Bash', '0/0/0/0/0', '426 ms'],
		['claude-sonnet-4-5', '120/200/30/42/0', '116 ms'],
	])
	const { traceId, spanId } = spansOf('claude-code.json').find(
		({ parentSpanId }) => parentSpanId === '',
	) as SpanRow
	expect(calls[1]).toMatchObject({
		...{ traceId, parentSpanId: spanId, status: 'ok', dialect: 'claude_code', costNanoUsd: 1_162_500n },
		...{ sessionId: '1a725d94-958c-4b82-acd4-5c5f775969bf', client: 'claude-code/2.1.197' },
		userId: '3360b61739ef2304ab2073735af676ea3d5f7f3e044cd84cf6bcdf0a3b9673dc',
		...{ provider: 'anthropic', costSource: 'reported', usageSource: 'reported' },
	})
	expect(calls[1]?.attributes.get('request_id')).toBe('req_011Fake00000000000002')
	expect(calls[2]?.attributes.get('gen_ai.tool.call.id')).toBe('toolu_01FakeToolUse0000000001')
})

test('the spans of Claude Code report the same calls with the same facts', () => {
	const isCall = ({ kind }: SpanRow) => kind !== 'other'
	const spans = spansOf('claude-code.json').filter(isCall)
	expect(spans.map((span) => logged(span).slice(0, 2)).sort()).toEqual(
		callsOf('claude-code')
			.map((call) => logged(call).slice(0, 2))
			.sort(),
	)
	const who = { sessionId: '1a725d94-958c-4b82-acd4-5c5f775969bf', client: 'claude-code/2.1.197' }
	for (const span of spans) expect(span).toMatchObject(who)
	expect(spans.find(({ kind }) => kind === 'model_call')?.timeToFirstTokenNs).toBe(146_000_000n)
})

test('Codex: a successful request is reported by the end of its stream, and begins with the request', () => {
	const calls = callsOf('codex')
	expect(calls.map(logged)).toEqual([
		['gpt-5.1-codex', '150/200/0/32/10', '12 ms'],
		['exec_command', '0/0/0/0/0', '40 ms'],
		['gpt-5.1-codex', '150/200/0/32/10', '8 ms'],
	])
	expect(calls[0]).toMatchObject({
		...{ traceId: 'dcd516def4d34f4963ff7cd2cfe4fd17', parentSpanId: '0eb9e5ef9ed3e16f' },
		...{ sessionId: '01a20403-3073-7872-a91f-284c335d941f', client: 'codex_exec/0.169.0' },
		...{ dialect: 'codex', provider: 'openai', httpStatus: 200, costSource: 'computed' },
	})
	expect(spansOf('codex.json').filter(({ kind }) => kind !== 'other')).toEqual([])
})

test('Gemini CLI: has the id of the answer, which another event reports', () => {
	const calls = callsOf('gemini-cli')
	expect(calls.map(logged)).toEqual([
		['gemini-2.5-pro', '150/200/0/32/10', '905 ms'],
		['run_shell_command', '0/0/0/0/0', '98 ms'],
		['gemini-2.5-pro', '150/200/0/32/10', '125 ms'],
	])
	expect(calls[0]).toMatchObject({
		...{ sessionId: '2d1bcbee-2909-4116-940c-b3c6bbf11cdf', client: 'gemini-cli', provider: 'gcp.gemini' },
		...{ dialect: 'gemini_cli', costSource: 'computed' },
	})
	expect(calls.map(({ attributes }) => attributes.get('gen_ai.response.id'))).toEqual([
		'gemresp_fake000000000001',
		undefined,
		'gemresp_fake000000000002',
	])
	expect(spansOf('gemini-cli.json').filter(({ kind }) => kind !== 'other')).toEqual([])
})

const text = (key: string, value: string) => ({ key, value: { stringValue: value } })
const logOf = (...events: Record<string, string>[]) =>
	Buffer.from(
		JSON.stringify({
			resourceLogs: [
				{
					resource: { attributes: [text('service.name', 'codex_cli')] },
					scopeLogs: [
						{
							logRecords: events.map((event, at) => ({
								timeUnixNano: String(1_795_000_000_000_000_000n + BigInt(at)),
								attributes: Object.entries(event).map(([key, value]) => text(key, value)),
							})),
						},
					],
				},
			],
		}),
	)

test.each<[string, Record<string, string>, object]>([
	[
		'a refused request of Codex',
		{ 'event.name': 'codex.api_request', 'http.response.status_code': '429', 'error.message': 'slow down' },
		{ kind: 'model_call', httpStatus: 429, statusMessage: 'slow down' },
	],
	[
		'a stream of Codex that breaks',
		{ 'event.name': 'codex.sse_event', 'event.kind': 'response.completed', 'error.message': 'cut' },
		{ kind: 'model_call', statusMessage: 'cut', usageSource: 'missing' },
	],
	[
		'an error of Claude Code',
		{
			'event.name': 'claude_code.api_error',
			status_code: '529',
			error: 'overloaded',
			model: 'claude-opus-5',
		},
		{ kind: 'model_call', httpStatus: 529, statusMessage: 'overloaded', modelRequested: 'claude-opus-5' },
	],
	[
		'a failed tool of Gemini CLI',
		{
			'event.name': 'gemini_cli.tool_call',
			function_name: 'grep',
			success: 'false',
			error_type: 'not_found',
		},
		{ kind: 'tool_call', toolName: 'grep', errorType: 'not_found' },
	],
	[
		'an error of Qwen Code',
		{
			...{ 'event.name': 'qwen-code.api_error', model: 'qwen3-coder-plus', auth_type: 'openai' },
			...{ error_message: 'cut', 'error.message': 'cut', error_type: 'APIConnectionError' },
		},
		{ kind: 'model_call', provider: 'openai', statusMessage: 'cut', errorType: 'APIConnectionError' },
	],
])('%s is a failed call', (_name, event, expected) => {
	expect(callsIn(logOf(event))).toEqual([expect.objectContaining({ status: 'error', ...expected })])
})

test('Codex: a stream that failed or broke off is one call, and does not take the beginning of the next one', () => {
	const [request, event] = [{ 'event.name': 'codex.api_request' }, { 'event.name': 'codex.sse_event' }]
	const begun = (status: string) => ({ ...request, 'http.response.status_code': status, duration_ms: '0' })
	const events = [
		begun('201'),
		{ ...event, 'event.kind': 'response.failed', duration_ms: '0', 'error.message': '{"type":…}' },
		{ ...event, 'event.kind': 'response.completed', 'error.message': 'it broke' },
		begun('202'),
		{ ...event, 'event.kind': 'response.completed', success: 'false', 'error.type': 'response_completed' },
		begun('203'),
		{ ...event, 'event.kind': 'response.completed', duration_ms: '0' },
		{ ...event, 'event.kind': 'response.completed', input_token_count: '100', output_token_count: '5' },
	]
	const calls = callsIn(logOf(...events.map((each) => ({ ...each, 'conversation.id': 'c' }))))
	expect(calls.map(({ status, statusMessage, httpStatus }) => [status, statusMessage, httpStatus])).toEqual([
		['error', 'it broke', 201],
		['error', '', 202],
		['ok', '', 203],
	])
})

test('Codex 0.171: the path of its main agent is no name, that of another one is', () => {
	const result = {
		...{ 'event.name': 'codex.tool_result', 'conversation.id': 'c', tool_name: 'exec_command' },
		...{ call_id: 'call_c1fb6fa96332598fbf93ced2', duration_ms: '843', success: 'true' },
	}
	const calls = callsIn(
		logOf({ ...result, agent_name: '/root' }, { ...result, agent_name: '/root/explorer' }),
	)
	expect(calls.map(({ agentName, toolName }) => [agentName, toolName])).toEqual([
		['', 'exec_command'],
		['/root/explorer', 'exec_command'],
	])
})

test('Qwen Code: has the id of the answer, and reasoning tokens in addition to the output where its provider counts them so', () => {
	const usage = { input_token_count: '1000', output_token_count: '50', cached_content_token_count: '600' }
	const response = {
		...{ 'event.name': 'qwen-code.api_response', 'session.id': 's', duration_ms: '645', ttft_ms: '636' },
		...{
			...usage,
			thoughts_token_count: '20',
			status_code: '200',
			response_id: 'chatcmpl-Fake0000000000001',
		},
	}
	const calls = callsIn(
		logOf(
			{ ...response, model: 'qwen3-coder-plus', auth_type: 'openai', total_token_count: '1050' },
			{ ...response, model: 'gemini-2.5-pro', auth_type: 'vertex-ai', total_token_count: '1070' },
			{
				...{ 'event.name': 'qwen-code.tool_call', 'session.id': 's', call_id: 'call_1', success: 'true' },
				...{ function_name: 'mcp__weather__now', mcp_server_name: 'weather', duration_ms: '32' },
				...{ function_args: '{\n  "city": "Paris"\n}', response_id: 'chatcmpl-Fake0000000000001' },
			},
		),
	)
	expect(calls.map(logged)).toEqual([
		['qwen3-coder-plus', '400/600/0/30/20', '645 ms'],
		['gemini-2.5-pro', '400/600/0/50/20', '645 ms'],
		['now', '0/0/0/0/0', '32 ms'],
	])
	expect(calls.map(({ provider }) => provider)).toEqual(['openai', 'gcp.vertex_ai', ''])
	expect(calls[0]).toMatchObject({ dialect: 'qwen_code', sessionId: 's', timeToFirstTokenNs: 636_000_000n })
	expect(calls[0]?.attributes.get('gen_ai.response.id')).toBe('chatcmpl-Fake0000000000001')
	expect(calls[2]?.serverName).toBe('weather')
	expect(calls[2]?.attributes.get('gen_ai.tool.call.arguments')).toBe('{"city":"Paris"}')
})

test('other events are not calls, and the same event produces the same span each time', () => {
	const ended = { 'event.name': 'codex.sse_event', input_token_count: '7', 'conversation.id': 'c' }
	expect(callsIn(logOf({ 'event.name': 'codex.user_prompt' }, { 'event.name': 'codex.sse_event' }))).toEqual(
		[],
	)
	const [once, again] = [callsIn(logOf(ended)), callsIn(logOf(ended))]
	expect(once).toMatchObject([{ inputTokens: 7, durationNs: 0n }])
	expect(again).toEqual(once)
})
