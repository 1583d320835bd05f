import { describe, expect, it } from 'vitest'
import { readTags } from './call-tags.ts'

const uuid = '0192f0c1-2d3e-7a4b-8c5d-6e7f80910213'
const session = (headers: object, body: object = {}) =>
	readTags({ ...headers }, new Map(Object.entries(body))).sessionId
const user = (headers: object, body: object = {}) =>
	readTags({ ...headers }, new Map(Object.entries(body))).userId

describe('the user and the session of a call', () => {
	it.each([
		[{ 'x-claude-code-session-id': 's1' }, {}],
		[{ session_id: 's1' }, {}],
		[{ 'x-litellm-session-id': 's1' }, {}],
		[{ 'x-portkey-trace-id': 's1' }, {}],
		[{ 'x-session-id': 's1' }, {}],
		[{ baggage: 'a=b, session.id=s1;ttl=5' }, {}],
		[{ baggage: 'gen_ai.conversation.id=s1' }, {}],
		[{}, { metadata: { session_id: 's1' } }],
		[{}, { metadata: { langfuse_session_id: 's1' } }],
		[{}, { metadata: { user_id: JSON.stringify({ device_id: 'd', session_id: 's1' }) } }],
		[{}, { litellm_session_id: 's1' }],
		[{}, { conversation: 's1' }],
		[{}, { conversation: { id: 's1' } }],
	])('is read from %j and %j', (headers, body) => {
		expect(session(headers, body)).toBe('s1')
	})

	it.each(['Zoë', '用户 🌍', 'a'])(
		'%s is read from headers in UTF-8, and in Latin-1 where it is that',
		(name) => {
			const onTheWire = Buffer.from(name).toString('latin1')
			const headers = {
				'x-signalbox-user-id': onTheWire,
				'session-id': onTheWire,
				'x-signalbox-tags': `team=${onTheWire}`,
			}
			const read = { sessionId: name, userId: name, tags: new Map([['team', name]]) }
			expect(readTags(headers, new Map())).toMatchObject(read)
			expect(user({ baggage: `user.id=${onTheWire}` })).toBe(name)
			expect(user({ 'x-signalbox-user-id': 'Zo\xeb' })).toBe('Zoë')
		},
	)

	it.each([
		['OpenAI/JS 7.55.0', 'OpenAI-JS/7.55.0'],
		['claude-cli/2.1.90 (external, cli)', 'claude-cli/2.1.90'],
		['ai-sdk/openai/3.0.141 ai-sdk/provider-utils/4.0.66 runtime/node.js/v20', 'ai-sdk/openai/3.0.141'],
		['GeminiCLI-tui/0.61.0/gemini-3.1-pro-preview (linux; x64; terminal)', 'GeminiCLI-tui/0.61.0'],
		['langchain4j-openai', 'langchain4j-openai'],
		['unknown/None; hf_hub/2.4.0; python/3.12.1', 'hf_hub/2.4.0'],
		['datasets/4.0; hf_hub/2.4.0; python/3.12.1', 'datasets/4.0'],
		['', ''],
	])('the program %s is recorded as %s', (agent, client) => {
		expect(readTags({ 'user-agent': agent }, new Map()).client).toBe(client)
	})

	it('a cache key is used if it is an id, and only as a last resort', () => {
		expect(session({}, { prompt_cache_key: uuid })).toBe(uuid)
		expect(session({}, { prompt_cache_key: 'my-app' })).toBe('')
		expect(session({ session_id: 's1' }, { prompt_cache_key: uuid })).toBe('s1')
		expect(session({}, { prompt_cache_key: `session_${uuid}` })).toBe(`session_${uuid}`)
		expect(session({ 'x-affinity': uuid })).toBe(uuid)
		expect(session({ 'x-affinity': 'blue' })).toBe('')
	})

	it('Kimi Code sends its session in the field where others send a user', () => {
		const metadata = { user_id: `session_${uuid}` }
		expect([session({}, { metadata }), user({}, { metadata })]).toEqual([`session_${uuid}`, ''])
	})

	it.each([
		[{ 'x-litellm-end-user-id': 'jane' }, {}],
		[{ 'x-portkey-metadata': '{"_user":"jane"}' }, {}],
		[{ baggage: 'user.id=j%61ne' }, {}],
		[{}, { metadata: { langfuse_user_id: 'jane' } }],
		[{}, { safety_identifier: 'jane' }],
	])('the person is read from %j and %j', (headers, body) => {
		expect(user(headers, body)).toBe('jane')
	})

	it('Claude Code names the agent that calls, and explicit tags take precedence', () => {
		const headers = {
			'x-claude-code-agent-id': 'a2',
			'x-claude-code-parent-agent-id': 'a1',
			'x-signalbox-tags': 'agent_id=mine,team=red',
		}
		expect(Object.fromEntries(readTags(headers, new Map()).tags)).toEqual({
			agent_id: 'mine',
			parent_agent_id: 'a1',
			team: 'red',
		})
	})

	it('invalid values mean that the user is unknown', () => {
		const headers = { 'x-portkey-metadata': '[', baggage: '%%%=,=' }
		expect(readTags(headers, new Map([['conversation', 7]]))).toMatchObject({ sessionId: '', userId: '' })
	})
})
