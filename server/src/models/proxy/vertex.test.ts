import { createVerify, generateKeyPairSync, randomUUID } from 'node:crypto'
import { AnthropicVertex } from '@anthropic-ai/vertex-sdk'
import { GoogleGenAI } from '@google/genai'
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { manualClock } from '../../platform/clock.ts'
import { vertex } from './providers/vertex/index.ts'
import { useClientStage } from './testing/client-stage.ts'
import { until } from './testing/start-proxy.ts'
import type { ReceivedRequest } from './testing.ts'
import { mockWords } from './testing.ts'

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const private_key = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string
const account = {
	type: 'service_account',
	project_id: 'proj-1',
	client_email: 'robot@proj-1.iam.gserviceaccount.com',
	private_key,
	private_key_id: 'abcdef0123456789',
}
const model = 'gemini-mock'
const place = 'projects/proj-1/locations/europe-west4'

describe('Vertex AI with a service account', () => {
	/** The tokens issued by the token endpoint. */
	const tokens: string[] = []
	let refusing = false
	const stage = useClientStage(async ({ connect, mock }) => {
		mock.intercept = (received, response) => {
			if (received.path !== '/token') return false
			const accepted = !refusing && provesAccount(received, `${mock.url}/token`)
			if (accepted) tokens.push(`ya29.${randomUUID()}`)
			response.writeHead(accepted ? 200 : 400, { 'content-type': 'application/json' })
			const body = accepted ? { access_token: tokens.at(-1), expires_in: 3600 } : { error: 'invalid_grant' }
			return response.end(JSON.stringify(body)) !== undefined
		}
		const service_account = { ...account, token_uri: `${mock.url}/token` }
		const credential = { service_account, project: 'proj-1', location: 'europe-west4' }
		await connect({ name: 'vertex', provider: 'vertex', credential, base_url: mock.url })
	})
	let base: string
	beforeAll(() => {
		base = `${stage.proxy.url}/proxy/vertex`
	})
	beforeEach(() => {
		refusing = false
	})
	const post = (path: string, body: object, headers: Record<string, string> = {}) =>
		fetch(`${base}/v1/${path}`, {
			method: 'POST',
			headers: { authorization: `Bearer ${stage.agent.secret}`, ...headers },
			body: JSON.stringify(body),
		})
	const lastSent = () => stage.mock.requests.filter(({ path }) => path !== '/token').at(-1)

	it("the official client calls Gemini; the account's token is sent, and requested once", async () => {
		// The client's own sign-in is disabled: it sends the Signalbox key like any header.
		const ai = new GoogleGenAI({
			...{ vertexai: true, project: 'proj-1', location: 'europe-west4' },
			googleAuthOptions: { authClient: bearerOf(stage.agent.secret) as never },
			httpOptions: { baseUrl: base, apiVersion: 'v1' },
		})
		const row = await stage.recordOf(async () => {
			const answer = await ai.models.generateContent({ model, contents: 'Grüße' })
			expect(answer.text).toBe(mockWords.join(''))
		})
		expect(row).toMatchObject({
			...{ name: `chat ${model}`, provider: 'vertex', status: 'ok' },
			...{ inputTokens: 30, cacheReadTokens: 70, outputTokens: 20, reasoningTokens: 15 },
		})
		expect(lastSent()?.path).toBe(`/v1/${place}/publishers/google/models/${model}:generateContent`)
		let text = ''
		for await (const chunk of await ai.models.generateContentStream({ model, contents: 'x' }))
			text += chunk.text ?? ''
		expect(text).toBe(mockWords.join(''))
		expect(tokens).toHaveLength(1)
		expect(lastSent()?.headers.authorization).toBe(`Bearer ${tokens[0]}`)
		const recorded = JSON.stringify(stage.proxy.recorded, (_, value) =>
			typeof value === 'bigint' ? `${value}` : value,
		)
		expect(recorded).not.toContain(tokens[0])
	})

	it('its token is replaced before it ends, also after the clock was set back', async () => {
		const clock = manualClock()
		let issued = 0
		const fetch = async (): Promise<never> => {
			issued += 1
			return Response.json({ access_token: `token ${issued}`, expires_in: 3600 }) as never
		}
		const credential = JSON.stringify({ service_account: { ...account, private_key_id: 'other' } })
		const authorize = async () => (await vertex.authorize?.(credential, {} as never, { clock, fetch }))?.[1]
		expect([await authorize(), await authorize()]).toEqual(['Bearer token 1', 'Bearer token 1'])
		clock.advance(-7_200_000)
		const startedMs = performance.now()
		const now = vi.spyOn(performance, 'now').mockImplementation(() => startedMs + 3_400_000)
		expect(await authorize()).toBe('Bearer token 2')
		now.mockRestore()
	})

	it("images of Imagen are counted and unpriced, and Google's models are listed", async () => {
		const { intercept } = stage.mock
		const images = [{ bytesBase64Encoded: 'aGk=', mimeType: 'image/png' }, { raiFilteredReason: 'x' }]
		stage.mock.intercept = (received, response) => {
			if (!received.path.includes('/models')) return intercept?.(received, response) ?? false
			response.writeHead(200, { 'content-type': 'application/json' })
			return response.end(JSON.stringify({ predictions: images })) !== undefined
		}
		const row = await stage.recordOf(() =>
			post(`${place}/publishers/google/models/imagen-4.0-generate-001:predict`, { instances: [] }),
		)
		expect(row).toMatchObject({ name: 'images/generations imagen-4.0-generate-001', costNanoUsd: null })
		expect(row.ledger).toMatchObject([{ dimension: 'image_count', quantity: 1, costNanoUsd: null }])
		const list = (path: string) =>
			fetch(`${base}/${path}`, { headers: { authorization: `Bearer ${stage.agent.secret}` } })
		for (const path of ['v1beta1/publishers/google/models', 'v1/publishers/google/models/gemini-mock'])
			expect((await list(path)).status).toBe(200)
		expect((await list(`v1/${place}/models`)).status).toBe(403)
		expect((await post('publishers/google/models/gemini-mock:generateContent', {})).status).toBe(403)
		stage.mock.intercept = intercept
	})

	it('Claude speaks its own wire format there, plain and streamed', async () => {
		const body = { anthropic_version: 'vertex-2023-10-16', max_tokens: 9, messages: [] }
		const path = `${place}/publishers/anthropic/models/claude-opus-5`
		const expected = {
			inputTokens: 25,
			cacheReadTokens: 300,
			cacheWriteTokens: 40,
			outputTokens: 13,
			status: 'ok',
		}
		const plain = await stage.recordOf(async () => {
			expect((await post(`${path}:rawPredict`, body)).status).toBe(200)
		})
		expect(plain).toMatchObject({ ...expected, modelRequested: 'claude-opus-5', usageSource: 'reported' })
		expect(plain.costNanoUsd).not.toBeNull()
		const streamed = await stage.recordOf(async () => {
			const answer = await post(`${path}:streamRawPredict`, { ...body, stream: true })
			expect(await answer.text()).toContain('message_stop')
		})
		expect(streamed).toMatchObject({ ...expected, usageSource: 'reported' })
	})

	describe('with Anthropic’s official client for it', () => {
		const clientOf = (secret: string) =>
			new AnthropicVertex({
				...{ baseURL: `${base}/v1`, projectId: 'proj-1', region: 'europe-west4', maxRetries: 0 },
				authClient: bearerOf(secret) as never,
			})
		const asked = {
			model: 'claude-opus-5',
			max_tokens: 9,
			messages: [{ role: 'user' as const, content: 'Grüße 👋' }],
		}

		it('answers come plain, streamed and with tools, and are priced', async () => {
			const client = clientOf(stage.agent.secret)
			const tools = [{ name: 'weather', input_schema: { type: 'object' as const } }]
			const plain = await stage.recordOf(() => client.messages.create({ ...asked, tools }))
			expect(plain).toMatchObject({ name: 'chat claude-opus-5', usageSource: 'reported', inputTokens: 25 })
			const streamed = await stage.recordOf(async () => {
				const message = await client.messages.stream(asked).finalMessage()
				expect(message.content).toEqual([expect.objectContaining({ text: mockWords.join('') })])
			})
			expect(streamed).toMatchObject({ usageSource: 'reported', costNanoUsd: expect.any(BigInt) })
			expect(lastSent()?.headers.authorization).toBe(`Bearer ${tokens.at(-1)}`)
		})

		it('tokens are counted, which is not a model call', async () => {
			const row = await stage.recordOf(() =>
				clientOf(stage.agent.secret).messages.countTokens({
					model: asked.model,
					messages: asked.messages,
				}),
			)
			expect(row).toMatchObject({ kind: 'other', name: 'count_tokens claude-opus-5', usageSource: '' })
		})

		it('a refusal is a typed error, and an abort ends the call', async () => {
			await expect(clientOf('sk_service_wrong').messages.create(asked)).rejects.toMatchObject({ status: 401 })
			const row = await stage
				.recordOf(async () => {
					const stream = clientOf(stage.agent.secret).messages.stream({ ...asked, model: 'slow' })
					for await (const event of stream) if (event.type === 'content_block_delta') stream.abort()
				})
				.catch((error: Error) => error)
			expect(row).toBeInstanceOf(Error)
			await until(() => stage.proxy.recorded.at(-1)?.status === 'interrupted')
		})
	})

	it('a path to another project or location is refused, whatever the account could do', async () => {
		for (const other of ['projects/proj-2/locations/europe-west4', 'projects/proj-1/locations/us-central1']) {
			const answer = await post(`${other}/publishers/google/models/${model}:generateContent`, {})
			expect(answer.status).toBe(403)
			expect(await answer.json()).toMatchObject({ error: { code: 403, status: 'PERMISSION_DENIED' } })
		}
	})

	it('a token endpoint that refuses is reported as such, without the key', async () => {
		refusing = true
		const service_account = { ...account, client_email: 'other@x', token_uri: `${stage.mock.url}/token` }
		const credential = { service_account, project: 'proj-1', location: 'europe-west4' }
		await stage.connect({ name: 'refused', provider: 'vertex', credential, base_url: stage.mock.url })
		const answer = await fetch(
			`${stage.proxy.url}/proxy/refused/v1/${place}/publishers/google/models/m:generateContent`,
			{
				...{ method: 'POST', headers: { authorization: `Bearer ${stage.agent.secret}` }, body: '{}' },
			},
		)
		expect(answer.status).toBe(502)
		const text = await answer.text()
		expect(text).toContain('invalid_grant')
		expect(text).not.toContain('PRIVATE')
	})

	it("the caller's own token can be sent in addition to the Signalbox key", async () => {
		const own = { 'x-service-api-key': stage.agent.secret, authorization: 'Bearer ya29.mine' }
		await post(`projects/any/locations/any/publishers/google/models/${model}:generateContent`, {}, own)
		expect(lastSent()?.headers.authorization).toBe('Bearer ya29.mine')
	})

	it('an invalid credential is refused when it is stored', async () => {
		const credential = {
			service_account: { ...account, private_key: 'nonsense' },
			project: 'p',
			location: 'global',
		}
		const bad = await stage.connect({ name: 'bad', provider: 'vertex', credential })
		expect(bad.status).toBe(400)
		expect(bad.json.errors[0].pointer).toBe('/credential/service_account/private_key')
		expect((await stage.connect({ name: 'bad', provider: 'vertex', key: 'k' })).status).toBe(400)
		expect((await stage.connect({ name: 'bad', provider: 'openai' })).status).toBe(400)
	})
})

/** Whether the request is signed by the account, for this endpoint and at this time (RFC 7523). */
function provesAccount({ body }: ReceivedRequest, audience: string): boolean {
	const form = new URLSearchParams(body.toString())
	const [header = '', claims = '', signature = ''] = (form.get('assertion') ?? '').split('.')
	const signed = createVerify('RSA-SHA256')
		.update(`${header}.${claims}`)
		.verify(publicKey, signature, 'base64url')
	const { iss, aud, exp, iat, scope } = JSON.parse(Buffer.from(claims, 'base64url').toString())
	const now = Date.now() / 1000
	const timely = iat <= now + 1 && exp > now && exp - iat <= 3600
	const grant = form.get('grant_type') === 'urn:ietf:params:oauth:grant-type:jwt-bearer'
	return (
		signed &&
		timely &&
		grant &&
		iss === account.client_email &&
		aud === audience &&
		scope.includes('cloud-platform')
	)
}

/** An object that the client accepts as a signed-in Google account. */
function bearerOf(secret: string) {
	const headers = async () => new Headers({ authorization: `Bearer ${secret}` })
	return { getRequestHeaders: headers, getAccessToken: async () => ({ token: secret }), request: () => {} }
}
