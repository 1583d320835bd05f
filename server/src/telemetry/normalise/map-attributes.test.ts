import { expect, test } from 'vitest'
import type { AttributeValue } from '../span-row.ts'
import { map, startNs } from './map.testing.ts'
import { hotValuesOf, mapAttributes, mapPlain, readResource } from './map-attributes.ts'
import { newHotValues } from './names.ts'

const hotOf = (attributes: Record<string, AttributeValue>) => hotValuesOf(Object.entries(attributes))

const buckets = {
	inputTokens: 400,
	cacheReadTokens: 500,
	cacheWriteTokens: 100,
	outputTokens: 30,
	reasoningTokens: 20,
}

test.each([
	[
		'current',
		{
			'gen_ai.usage.input_tokens': 1000n,
			'gen_ai.usage.output_tokens': 50n,
			'gen_ai.usage.cache_read.input_tokens': 500n,
			'gen_ai.usage.cache_write.input_tokens': 100n,
			'gen_ai.usage.reasoning.output_tokens': 20n,
		},
	],
	[
		'1.37 to 1.45',
		{
			'gen_ai.usage.input_tokens': 1000n,
			'gen_ai.usage.output_tokens': 50n,
			'gen_ai.usage.cache_read.input_tokens': 500n,
			'gen_ai.usage.cache_creation.input_tokens': 100n,
			'gen_ai.usage.reasoning.output_tokens': 20n,
		},
	],
	[
		'up to 1.36',
		{
			'gen_ai.usage.prompt_tokens': 1000n,
			'gen_ai.usage.completion_tokens': 50n,
			'gen_ai.usage.cache_read_input_tokens': 500n,
			'gen_ai.usage.cache_creation_input_tokens': 100n,
			'gen_ai.usage.reasoning_tokens': 20n,
		},
	],
])('token counts under the names of %s become exclusive counts', (_generation, attributes) => {
	expect(map({ 'gen_ai.operation.name': 'chat', ...attributes })).toMatchObject({
		kind: 'model_call',
		usageSource: 'reported',
		...buckets,
	})
})

test('an input count that excludes cache tokens is not reduced again', () => {
	const anthropic = {
		'gen_ai.operation.name': 'chat',
		'gen_ai.usage.input_tokens': 10n,
		'gen_ai.usage.cache_read.input_tokens': 500n,
	}
	expect(map(anthropic)).toMatchObject({ inputTokens: 10, cacheReadTokens: 500 })
})

test('only model calls have tokens: sums on agents and workflows are not counted again', () => {
	const agent = {
		'gen_ai.operation.name': 'invoke_agent',
		'gen_ai.request.model': 'm',
		'gen_ai.usage.input_tokens': 1000n,
	}
	expect(map(agent)).toMatchObject({ kind: 'other', inputTokens: 0, usageSource: '' })
})

test('the usage of a model call without tokens is missing, which is not zero', () => {
	expect(map({ 'gen_ai.request.model': 'm' })).toMatchObject({ kind: 'model_call', usageSource: 'missing' })
})

test.each([
	[{ 'mcp.method.name': 'tools/call', 'gen_ai.tool.name': 'echo' }, 'tool_call', 'echo'],
	[{ 'mcp.method.name': 'tools/call', 'mcp.tool.name': 'echo' }, 'tool_call', 'echo'],
	[{ 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'echo' }, 'tool_call', 'echo'],
	[{ 'mcp.method.name': 'tools/list' }, 'mcp', ''],
	[{ 'http.request.method': 'GET' }, 'other', ''],
])('%o is a %s', (attributes, kind, toolName) => {
	expect(map(attributes)).toMatchObject({ kind, toolName })
})

test('session and user come from the span, otherwise from its resource', () => {
	const resource = { 'mcp.session.id': 's-resource', 'user.id': 'u-resource', 'service.name': 'svc' }
	expect(map({ 'session.id': 's', 'enduser.id': 'u' }, resource)).toMatchObject({
		sessionId: 's',
		userId: 'u',
	})
	expect(map({}, resource)).toMatchObject({ sessionId: 's-resource', userId: 'u-resource' })
})

test('codes, client and time to first token get columns; invalid values do not', () => {
	expect(
		map({
			'rpc.response.status_code': '-32601',
			'http.response.status_code': 200n,
			'mcp.client.name': 'claude-code',
			'mcp.client.version': '2.1',
			'gen_ai.response.time_to_first_chunk': 0.25,
			'error.type': 'tool_error',
		}),
	).toMatchObject({
		rpcCode: -32601,
		httpStatus: 200,
		client: 'claude-code/2.1',
		timeToFirstTokenNs: 250_000_000n,
		errorType: 'tool_error',
	})
	expect(
		map({
			'rpc.response.status_code': 'OK',
			'http.response.status_code': 1e9,
			'gen_ai.response.time_to_first_chunk': 'soon',
		}),
	).toMatchObject({ rpcCode: null, httpStatus: null, timeToFirstTokenNs: null })
})

test.each([
	[{}],
	[{ 'service.name': 'shop', 'service.version': '1', 'session.id': 's', 'user.id': 'u' }],
	[{ 'gen_ai.agent.name': 'a', 'telemetry.sdk.name': 'openlit' }],
])('a span without mapped attributes has the same columns, whether it is mapped or not: %j', (resource) => {
	const facts = readResource(hotOf(resource), '')
	for (const otlpKind of [0, 2, 3]) {
		const span = {
			...{ startNs, otlpKind, status: 'error' as const, exception: () => 'Timeout' },
			name: () => 'execute_tool x',
		}
		const looked = mapAttributes(newHotValues(), facts, span)
		expect(mapAttributes(hotOf({ unknown: 'x' }), facts, span)).toEqual(looked)
		expect(mapPlain(newHotValues(), facts, span, undefined)).toEqual(looked)
	}
})

test("the id that FastMCP reports for each request is no session, as MCP's revision has none", () => {
	const call = { 'mcp.method.name': 'tools/call', 'gen_ai.tool.name': 'weather', 'mcp.session.id': 'random' }
	const sessionOf = (revision: string, more = {}) =>
		map({ ...call, ...more, 'mcp.protocol.version': revision }).sessionId
	expect(sessionOf('2025-06-18')).toBe('random')
	expect(sessionOf('2026-07-28')).toBe('')
	expect(sessionOf('2026-07-28', { 'gen_ai.conversation.id': 'kept' })).toBe('kept')
	expect(map(call).sessionId).toBe('random')
})
