import { tokenPrefixes } from '@signalbox/contract'
import OpenAI, { AzureOpenAI } from 'openai'
import { describe, expect, it } from 'vitest'
import { useClientStage } from './testing/client-stage.ts'
import { mockWords } from './testing.ts'

const messages = [{ role: 'user' as const, content: 'Grüße 👋' }]
const model = 'my-deployment'
const apiVersion = '2025-04-01-preview'

describe('Azure OpenAI with its official client', () => {
	const stage = useClientStage(({ connect, mock }) =>
		connect({ name: 'azure', provider: 'azure_openai', key: 'azure-stored', base_url: mock.url }),
	)
	const clientOf = (apiKey: string, defaultHeaders = {}) =>
		new AzureOpenAI({
			endpoint: `${stage.proxy.url}/proxy/azure`,
			...{ apiKey, apiVersion, defaultHeaders, maxRetries: 0 },
		})

	it('a deployment is called with the stored key in api-key, and recorded under its name', async () => {
		const row = await stage.recordOf(async () => {
			const answer = await clientOf(stage.agent.secret).chat.completions.create({ model, messages })
			expect(answer.choices[0]?.message.content).toBe(mockWords.join(''))
		})
		expect(row).toMatchObject({
			...{ name: `chat ${model}`, modelRequested: model, provider: 'azure_openai', status: 'ok' },
			...{ inputTokens: 20, cacheReadTokens: 100, outputTokens: 20, reasoningTokens: 10 },
		})
		const sent = stage.mock.requests.at(-1)
		expect(sent?.path).toBe(`/openai/deployments/${model}/chat/completions?api-version=${apiVersion}`)
		expect(sent?.headers['api-key']).toBe('azure-stored')
		expect(JSON.stringify(sent?.headers)).not.toContain(tokenPrefixes.key)
	})

	it('streams, embeddings, responses and models work', async () => {
		const client = clientOf(stage.agent.secret)
		let text = ''
		for await (const chunk of await client.chat.completions.create({ model, messages, stream: true }))
			text += chunk.choices[0]?.delta.content ?? ''
		expect(text).toBe(mockWords.join(''))
		expect((await client.embeddings.create({ model, input: 'x' })).data).toHaveLength(1)
		const response = await client.responses.create({ model, input: 'x' })
		expect(stage.mock.requests.at(-1)?.path).toBe(`/openai/responses?api-version=${apiVersion}`)
		const other = clientOf(stage.other.secret).responses.retrieve(response.id)
		await expect(other).rejects.toMatchObject({ status: 404 })
		await client.models.list()
	})

	it.each(['', '/openai/v1'])(
		'the base URL may end with the path that Azure shows: called below it with %o',
		async (more) => {
			const base_url = `${stage.mock.url}/openai/v1`
			await stage.connect({ name: 'newer', provider: 'azure_openai', key: 'azure-stored', base_url })
			const baseURL = `${stage.proxy.url}/proxy/newer${more}`
			const client = new OpenAI({ baseURL, apiKey: stage.agent.secret, maxRetries: 0 })
			const row = await stage.recordOf(() => client.chat.completions.create({ model, messages }))
			expect(row).toMatchObject({ name: `chat ${model}`, status: 'ok', inputTokens: 20 })
			expect(stage.mock.requests.at(-1)?.path).toBe('/openai/v1/chat/completions')
			await expect(client.files.list()).rejects.toMatchObject({ status: 403 })
		},
	)

	it('the newer paths without deployments can be used too', async () => {
		const answer = await fetch(`${stage.proxy.url}/proxy/azure/openai/v1/chat/completions`, {
			method: 'POST',
			headers: { 'api-key': stage.agent.secret, 'content-type': 'application/json' },
			body: JSON.stringify({ model, messages }),
		})
		expect(answer.status).toBe(200)
		expect(stage.mock.requests.at(-1)?.path).toBe('/openai/v1/chat/completions')
	})

	it('an agent that may use one model only is limited to its deployment, whatever its body says', async () => {
		const only = await stage.proxy.addAgent(stage.agent.workspaceId, 'narrow')
		await stage.proxy.setModelAccess(only.id, {
			mode: 'selected',
			connections: new Map([['azure', ['gpt-allowed']]]),
		})
		const path = `${stage.proxy.url}/proxy/azure/openai/deployments/${model}/chat/completions`
		const body = JSON.stringify({ model: 'gpt-allowed', messages })
		const answer = await fetch(path, { method: 'POST', headers: { 'api-key': only.secret }, body })
		expect(answer.status).toBe(403)
	})

	it('a deployment in a malformed encoding is a closed path', async () => {
		const path = `${stage.proxy.url}/proxy/azure/openai/deployments/%ff/chat/completions`
		const answer = await fetch(path, {
			method: 'POST',
			headers: { 'api-key': stage.agent.secret },
			body: '{}',
		})
		expect([answer.status, await answer.text()]).toEqual([403, expect.stringContaining('path_not_allowed')])
	})

	it("errors are raised, and the caller's own key is passed on", async () => {
		const failing = clientOf(stage.agent.secret).chat.completions.create({ model: 'error-429', messages })
		await expect(failing).rejects.toMatchObject({ status: 429 })
		const mine = clientOf('azure-mine', { 'x-service-api-key': stage.agent.secret })
		await mine.chat.completions.create({ model, messages })
		expect(stage.mock.requests.at(-1)?.headers['api-key']).toBe('azure-mine')
	})
})
