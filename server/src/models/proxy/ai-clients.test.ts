import { createAnthropic } from '@ai-sdk/anthropic'
import { createGoogleGenerativeAI } from '@ai-sdk/google'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { generateText, jsonSchema, type LanguageModel, streamText, tool } from 'ai'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { useClientStage } from './testing/client-stage.ts'
import { until } from './testing/start-proxy.ts'
import { mockWords } from './testing.ts'

const text = mockWords.join('')
const names = ['responses', 'chat', 'compatible', 'anthropic', 'google'] as const

describe('the ai package with its providers', () => {
	const stage = useClientStage(async ({ connect, mock }) => {
		const base_url = mock.url
		await connect({ name: 'openai', provider: 'openai', key: 'sk-stored', base_url: `${base_url}/v1` })
		await connect({ name: 'anthropic', provider: 'anthropic', key: 'sk-stored', base_url })
		await connect({ name: 'gemini', provider: 'gemini', key: 'sk-stored', base_url })
	})
	let modelOf: Record<(typeof names)[number], (name: string) => LanguageModel>
	beforeAll(() => {
		const at = (path: string) => ({
			baseURL: `${stage.proxy.url}/proxy/${path}`,
			apiKey: stage.agent.secret,
		})
		const openai = createOpenAI(at('openai/v1'))
		const compatible = createOpenAICompatible({ ...at('openai/v1'), name: 'house', includeUsage: true })
		modelOf = {
			responses: (name) => openai(name),
			chat: (name) => openai.chat(name),
			compatible: (name) => compatible(name),
			anthropic: createAnthropic(at('anthropic/v1')),
			google: createGoogleGenerativeAI(at('gemini/v1beta')),
		}
	})
	beforeEach(() => {
		stage.mock.intercept = null
	})
	const asked = (name: (typeof names)[number], model = 'mock-model') => ({
		model: modelOf[name](model),
		prompt: 'Grüße 👋',
		maxOutputTokens: 50,
		maxRetries: 0,
	})

	it.each(names)('%s: a plain answer matches its record', async (name) => {
		let used: number | undefined
		const row = await stage.recordOf(async () => {
			const answer = await generateText(asked(name))
			expect(answer.text).toBe(text)
			used = answer.usage.outputTokens
		})
		expect(row).toMatchObject({ agentId: stage.agent.id, status: 'ok', usageSource: 'reported' })
		expect(row.outputTokens + row.reasoningTokens).toBe(used)
	})

	it.each(names)('%s: a stream has its text and its tokens', async (name) => {
		const row = await stage.recordOf(async () => {
			let got = ''
			for await (const piece of streamText(asked(name)).textStream) got += piece
			expect(got).toBe(text)
		})
		expect(row).toMatchObject({ status: 'ok', usageSource: 'reported' })
		expect(row.timeToFirstTokenNs).toBeGreaterThan(0n)
	})

	it.each(['chat', 'anthropic'] as const)('%s: a tool is called', async (name) => {
		const inputSchema = jsonSchema<object>({ type: 'object' })
		const weather = tool({ inputSchema, execute: async () => 'warm' })
		await stage.recordOf(async () => {
			const { toolCalls } = await generateText({ ...asked(name), tools: { weather } })
			expect(toolCalls).toEqual([expect.objectContaining({ toolName: 'weather' })])
		})
	})

	it.each(names)('%s: an error of the provider is raised as one', async (name) => {
		const row = await stage.recordOf(() =>
			expect(generateText(asked(name, 'error-429'))).rejects.toMatchObject({ statusCode: 429 }),
		)
		expect(row).toMatchObject({ status: 'error', httpStatus: 429 })
	})

	it.each(['chat', 'anthropic', 'google'] as const)('%s: an abort ends the call', async (name) => {
		const before = stage.proxy.recorded.length
		const leaving = new AbortController()
		const stream = streamText({ ...asked(name, 'slow'), abortSignal: leaving.signal, onError: () => {} })
		for await (const _piece of stream.textStream) leaving.abort()
		await until(() => stage.proxy.recorded.length > before)
		expect(stage.proxy.recorded[before]).toMatchObject({ status: 'interrupted', usageSource: 'estimated' })
	})
})
