import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { prove } from './expect.ts'
import { providerKey } from './mock-provider.ts'
import type { Signalbox } from './signalbox.ts'

/** One plain and one streamed call with each official client, through connections that hold the provider's key. */
export async function callModels(
	{ api, url }: Signalbox,
	providerUrl: string,
	agentKey: string,
): Promise<void> {
	await api(
		'POST',
		'/v1/provider-keys',
		{ name: 'openai', provider: 'openai', key: providerKey, base_url: `${providerUrl}/v1` },
		201,
	)
	await api(
		'POST',
		'/v1/provider-keys',
		{ name: 'anthropic', provider: 'anthropic', key: providerKey, base_url: providerUrl },
		201,
	)
	await callOpenAi(new OpenAI({ baseURL: `${url}/proxy/openai/v1`, apiKey: agentKey, maxRetries: 0 }))
	await callAnthropic(new Anthropic({ baseURL: `${url}/proxy/anthropic`, apiKey: agentKey, maxRetries: 0 }))
}

async function callOpenAi(client: OpenAI): Promise<void> {
	const request = { model: 'gpt-5.6-sol', messages: [{ role: 'user' as const, content: 'Say hello' }] }
	const plain = await client.chat.completions.create(request)
	prove('openai answers', plain.choices[0]?.message.content, 'Hello')
	let text = ''
	for await (const chunk of await client.chat.completions.create({
		...request,
		stream: true,
		stream_options: { include_usage: true },
	})) {
		text += chunk.choices[0]?.delta.content ?? ''
	}
	prove('openai streams', text, 'Hello')
}

async function callAnthropic(client: Anthropic): Promise<void> {
	const request = {
		model: 'claude-sonnet-5',
		max_tokens: 100,
		messages: [{ role: 'user' as const, content: 'Say hello' }],
	}
	const plain = await client.messages.create(request)
	prove('anthropic answers', plain.content[0]?.type === 'text' && plain.content[0].text, 'Hello')
	const streamed = await client.messages.stream(request).finalMessage()
	prove('anthropic streams', streamed.content[0]?.type === 'text' && streamed.content[0].text, 'Hello')
}
