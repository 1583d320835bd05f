import { expect, test } from 'vitest'
import { map } from './map.testing.ts'

const chat = { 'gen_ai.operation.name': 'chat' }

const ofAgents = (template: string, message: string) => ({
	...{ 'logfire.msg_template': template, 'logfire.msg': message, 'gen_ai.system': 'openai' },
})

test("Logfire's spans of OpenAI's Agents SDK name tool, server and agent in their message and its data", () => {
	const tool = ofAgents('Function: {name}', 'Function: weather')
	expect(map(tool, {}, { name: 'Function: {name}' })).toMatchObject({
		...{ kind: 'tool_call', toolName: 'weather', serverName: '' },
	})
	expect(map({ ...tool, mcp_data: '{"server":"docs"}' }).serverName).toBe('docs')
	expect(map({ ...tool, mcp_data: 'null' }).serverName).toBe('')
	const agent = ofAgents('Agent run: {name!r}', "Agent run: 'Planner'")
	expect(map(agent, {}, { name: 'Agent run: {name!r}' })).toMatchObject({
		...{ kind: 'other', agentName: 'Planner' },
	})
	const failed = (span: ReturnType<typeof ofAgents>) => ({
		...span,
		'logfire.msg': `${span['logfire.msg']} failed: Error running it`,
	})
	expect(map(failed(tool)).toolName).toBe('weather')
	expect(map(failed(agent)).agentName).toBe('Planner')
})

test('the thread of LangGraph is the session, where Traceloop reports no other', () => {
	const thread = { 'traceloop.span.kind': 'tool', 'traceloop.association.properties.thread_id': 'thread-1' }
	expect(map(thread).sessionId).toBe('thread-1')
	const both = { ...thread, 'traceloop.association.properties.session_id': 'session-1' }
	expect(map(both).sessionId).toBe('session-1')
})

test("the Agents SDK's counts of 0 for a stream of chat completions stand for unknown usage", () => {
	const call = { ...chat, 'gen_ai.provider.name': 'openai', 'gen_ai.request.model': 'gpt-5.6-sol' }
	const zero = { 'gen_ai.usage.input_tokens': 0n, 'gen_ai.usage.output_tokens': 0n }
	expect(map({ ...call, ...zero })).toMatchObject({
		...{ usageSource: 'missing', costNanoUsd: null, costSource: '' },
	})
	const counts = JSON.stringify({ input: 0, output: 0, total: 0 })
	const langfuse = { 'langfuse.observation.type': 'generation', 'langfuse.observation.usage_details': counts }
	expect(map(langfuse)).toMatchObject({ usageSource: 'missing' })
	expect(map({ ...call, ...zero, 'gen_ai.usage.input_tokens': 7n })).toMatchObject({
		usageSource: 'reported',
	})
})

test("Logfire reports the usage of the Agents SDK's chat completions with its details", () => {
	const call = {
		...ofAgents('Chat completion with {gen_ai.request.model!r}', "Chat completion with 'gpt-5.6-sol'"),
		...{ 'gen_ai.request.model': 'gpt-5.6-sol', 'gen_ai.usage.input_tokens': 1000n },
		'gen_ai.usage.output_tokens': 50n,
		usage: '{"input_tokens_details":{"cached_tokens":600},"output_tokens_details":{"reasoning_tokens":20}}',
	}
	expect(map(call)).toMatchObject({ kind: 'model_call', inputTokens: 400, cacheReadTokens: 600 })
	expect(map(call)).toMatchObject({ outputTokens: 30, reasoningTokens: 20 })
})
