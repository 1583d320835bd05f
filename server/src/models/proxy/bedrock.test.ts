import {
	BedrockRuntimeClient,
	ConverseCommand,
	ConverseStreamCommand,
	InvokeModelCommand,
	InvokeModelWithResponseStreamCommand,
} from '@aws-sdk/client-bedrock-runtime'
import { tokenPrefixes } from '@signalbox/contract'
import { NodeHttpHandler } from '@smithy/node-http-handler'
import { describe, expect, it } from 'vitest'
import { mockSignature } from './testing/aws-signature.ts'
import { useClientStage } from './testing/client-stage.ts'
import { mockWords } from './testing.ts'

const credential = {
	access_key_id: 'AKIDEXAMPLE12345',
	secret_access_key: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
	region: 'eu-central-1',
	session_token: 'session-token-of-the-test',
}
const modelId = 'anthropic.claude-opus-5-v1:0'
const llama = 'meta.llama3-70b-instruct-v1:0'
const converse = { inputTokens: 25, cacheReadTokens: 300, cacheWriteTokens: 40, outputTokens: 18 }
const messages = [{ role: 'user' as const, content: [{ text: 'Grüße 👋' }] }]

describe('Amazon Bedrock with its official client', () => {
	const stage = useClientStage(async ({ connect, mock }) => {
		await connect({ name: 'bedrock', provider: 'bedrock', credential, base_url: mock.url })
		await connect({ name: 'by-key', provider: 'bedrock', key: 'bedrock-api-key-stored', base_url: mock.url })
	})
	/** The client sends a Bedrock API key as a bearer token, which is where a Signalbox key belongs. */
	const clientOf = (secret: string, connection = 'bedrock') =>
		new BedrockRuntimeClient({
			endpoint: `${stage.proxy.url}/proxy/${connection}`,
			region: 'eu-central-1',
			token: { token: secret },
			authSchemePreference: ['httpBearerAuth'],
			maxAttempts: 1,
			// Its default is HTTP/2 without TLS, which only Amazon supports.
			requestHandler: new NodeHttpHandler(),
		})
	const client = () => clientOf(stage.agent.secret)
	const sent = () => stage.mock.requests.at(-1) as (typeof stage.mock.requests)[number]

	it('Converse is answered and recorded, and the request is signed as Amazon checks it', async () => {
		const row = await stage.recordOf(async () => {
			const answer = await client().send(new ConverseCommand({ modelId, messages }))
			expect(answer.output?.message?.content?.map(({ text }) => text).join('')).toBe(mockWords.join(''))
		})
		expect(row).toMatchObject({
			...converse,
			...{ name: `chat ${modelId}`, modelRequested: modelId, provider: 'bedrock' },
			...{ status: 'ok', usageSource: 'reported' },
		})
		expect(row.attributes.get('signalbox.cache_write_1h_tokens')).toBe(10)
		expect(row.attributes.get('signalbox.provider_request_id')).toBe('aws_mock')
		const { headers } = sent()
		expect(headers.authorization).toBe(await mockSignature(sent(), credential))
		expect(headers['x-amz-security-token']).toBe(credential.session_token)
		expect(JSON.stringify(headers)).not.toContain(tokenPrefixes.key)
	})

	it('a signature of another body would not hold', async () => {
		await client().send(new ConverseCommand({ modelId, messages }))
		const tampered = { ...sent(), body: Buffer.from('{}') }
		expect(sent().headers.authorization).not.toBe(await mockSignature(tampered, credential))
	})

	it('ConverseStream: the binary events pass, and their figures are read', async () => {
		const row = await stage.recordOf(async () => {
			const { stream } = await client().send(new ConverseStreamCommand({ modelId, messages }))
			let text = ''
			for await (const event of stream ?? []) text += event.contentBlockDelta?.delta?.text ?? ''
			expect(text).toBe(mockWords.join(''))
		})
		expect(row).toMatchObject({ ...converse, status: 'ok', usageSource: 'reported' })
		expect(row.timeToFirstTokenNs).toBeGreaterThan(0n)
	})

	it('InvokeModel: Claude and Llama in their own formats, plain and streamed', async () => {
		const body = JSON.stringify({ anthropic_version: 'bedrock-2023-05-31', max_tokens: 9, messages: [] })
		const claude = {
			inputTokens: 25,
			cacheReadTokens: 300,
			cacheWriteTokens: 40,
			outputTokens: 13,
			reasoningTokens: 5,
		}
		const asked = { contentType: 'application/json', body }
		const invoke = (id: string) => client().send(new InvokeModelCommand({ ...asked, modelId: id }))
		const stream = async (id: string) => {
			const answer = await client().send(new InvokeModelWithResponseStreamCommand({ ...asked, modelId: id }))
			const pieces = []
			for await (const event of answer.body ?? []) pieces.push(event.chunk?.bytes)
			expect(pieces.length).toBeGreaterThan(1)
		}
		for (const work of [() => invoke(modelId), () => stream(modelId)])
			expect(await stage.recordOf(work)).toMatchObject({ ...claude, status: 'ok', usageSource: 'reported' })
		for (const work of [() => invoke(llama), () => stream(llama)]) {
			const row = await stage.recordOf(work)
			expect(row).toMatchObject({ inputTokens: 11, outputTokens: 5, status: 'ok', usageSource: 'reported' })
			expect(row.costNanoUsd).not.toBeNull()
		}
	})

	/** Answers all requests with JSON as the runtime sends it, while `work` runs. */
	const answering = async (status: number, headers: object, body: object, work: () => Promise<unknown>) => {
		stage.mock.intercept = (_received, response) => {
			response.writeHead(status, { 'content-type': 'application/json', ...headers })
			return response.end(JSON.stringify(body)) !== undefined
		}
		try {
			return await stage.recordOf(work)
		} finally {
			stage.mock.intercept = null
		}
	}
	const invoke = (id: string) => () =>
		client()
			.send(new InvokeModelCommand({ modelId: id, contentType: 'application/json', body: '{}' }))
			.catch(() => undefined)

	const conversing = () =>
		client()
			.send(new ConverseCommand({ modelId, messages }))
			.catch(() => undefined)

	it.each([
		['a foundation model', 'arn:aws:bedrock:eu-central-1::foundation-model/amazon.nova-lite-v1:0'],
		[
			'an inference profile',
			'arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.amazon.nova-pro-v1:0',
		],
	])('a model is named by the ARN of %s, in which the client encodes the slash', async (_name, arn) => {
		const row = await stage.recordOf(() => client().send(new ConverseCommand({ modelId: arn, messages })))
		expect(row).toMatchObject({ status: 'ok', modelRequested: arn, outputTokens: 18 })
		expect(row.costNanoUsd).not.toBeNull()
		expect(sent().path).toBe(`/model/${encodeURIComponent(arn)}/converse`)
		expect(sent().headers.authorization).toBe(await mockSignature(sent(), credential))
	})

	it('the type of an error is in a header alone', async () => {
		const headers = { 'x-amzn-errortype': 'ThrottlingException:http://internal.amazon.com/' }
		for (const work of [conversing, invoke(modelId), invoke(llama)])
			expect(await answering(429, headers, { message: 'Too many tokens' }, work)).toMatchObject({
				...{ status: 'error', errorType: 'ThrottlingException', statusMessage: 'Too many tokens' },
			})
	})

	const counts = {
		'x-amzn-bedrock-input-token-count': '31',
		'x-amzn-bedrock-output-token-count': '19',
	}
	it.each([
		['mistral.mistral-7b-instruct-v0:2', { outputs: [{ text: 'x', stop_reason: 'stop' }] }, 'stop'],
		['deepseek.r1-v1:0', { choices: [{ text: 'x', stop_reason: 'length' }] }, 'length'],
		['cohere.command-r-v1:0', { text: 'x', finish_reason: 'COMPLETE' }, 'COMPLETE'],
		[
			'amazon.titan-text-express-v1',
			{ inputTextTokenCount: 31, results: [{ tokenCount: 19, completionReason: 'FINISH' }] },
			'FINISH',
		],
	])('%s: tokens are those of the headers if the body has none', async (id, body, finish) => {
		const row = await answering(200, counts, body, invoke(id))
		expect(row).toMatchObject({ inputTokens: 31, outputTokens: 19, usageSource: 'reported', status: 'ok' })
		expect(row.attributes.get('gen_ai.response.finish_reasons')).toEqual([finish])
	})

	it('a rerank without figures is unpriced, not free', async () => {
		const body = { results: [{ index: 0, relevance_score: 0.9 }] }
		const row = await answering(200, {}, body, invoke('cohere.rerank-v3-5:0'))
		expect(row).toMatchObject({ usageSource: 'missing', costNanoUsd: null, status: 'ok' })
	})

	it('Claude by InvokeModel has the price of the region in the path, not that of its own name', async () => {
		const body = { model: 'claude-sonnet-4-5-20250929', usage: { input_tokens: 1000, output_tokens: 0 } }
		const costs = []
		for (const region of ['global', 'eu']) {
			const id = `${region}.anthropic.claude-sonnet-4-5-20250929-v1:0`
			costs.push((await answering(200, {}, body, invoke(id))).costNanoUsd)
		}
		expect(costs).toEqual([3_000_000n, 3_300_000n])
	})

	it('a tier or speed in the headers, whose price is unknown, leaves a call unpriced', async () => {
		const usage = { input_tokens: 1000, output_tokens: 0, service_tier: 'standard' }
		const costs = []
		for (const [name, value] of [
			['service-tier', 'default'],
			['service-tier', 'priority'],
			['performanceconfig-latency', 'optimized'],
		])
			costs.push(
				(await answering(200, { [`x-amzn-bedrock-${name}`]: `${value}` }, { usage }, invoke(modelId)))
					.costNanoUsd,
			)
		const body = {
			usage: { inputTokens: 1000, outputTokens: 0 },
			performanceConfig: { latency: 'optimized' },
		}
		costs.push((await answering(200, {}, body, conversing)).costNanoUsd)
		expect(costs).toEqual([expect.any(BigInt), null, null, null])
	})

	it('errors of the provider and of Signalbox are raised with their type', async () => {
		const throttled = client().send(new ConverseCommand({ modelId: 'error-429', messages }))
		await expect(throttled).rejects.toMatchObject({ name: 'ThrottlingException' })
		const denied = clientOf('sk_service_wrong').send(new ConverseCommand({ modelId, messages }))
		await expect(denied).rejects.toMatchObject({
			name: 'AccessDeniedException',
			$metadata: { requestId: expect.stringMatching(/^[\da-f-]{36}$/) },
		})
		const reading = (async () => {
			const { stream } = await client().send(new ConverseStreamCommand({ modelId: 'stream-error', messages }))
			for await (const _event of stream ?? []);
		})()
		await expect(reading).rejects.toMatchObject({ name: 'ThrottlingException' })
	})

	it('a running stream that Signalbox cuts ends with an exception that the client raises', async () => {
		const agent = await stage.proxy.addAgent(stage.agent.workspaceId, 'cut')
		const reading = (async () => {
			const { stream } = await clientOf(agent.secret).send(
				new ConverseStreamCommand({ modelId: 'slow', messages }),
			)
			for await (const event of stream ?? [])
				if (event.contentBlockDelta) await stage.proxy.setAgentStatus(agent.id, 'paused')
		})()
		await expect(reading).rejects.toMatchObject({ name: 'ModelStreamErrorException' })
	})

	it('an API key of Bedrock is sent as a bearer token, whether stored or sent by the caller', async () => {
		await clientOf(stage.agent.secret, 'by-key').send(new ConverseCommand({ modelId, messages }))
		expect(sent().headers.authorization).toBe('Bearer bedrock-api-key-stored')
		await fetch(`${stage.proxy.url}/proxy/bedrock/model/m/converse`, {
			method: 'POST',
			headers: { 'x-service-api-key': stage.agent.secret, authorization: 'Bearer mine' },
			body: '{}',
		})
		expect(sent().headers.authorization).toBe('Bearer mine')
	})

	it('the host is that of the region; a key needs an address, and other providers accept no credential', async () => {
		const made = await stage.connect({ name: 'regional', provider: 'bedrock', credential })
		expect(made.json).toMatchObject({
			base_url: 'https://bedrock-runtime.eu-central-1.amazonaws.com',
			last4: '2345',
		})
		expect(made.text).not.toContain(credential.secret_access_key)
		expect((await stage.connect({ name: 'k', provider: 'bedrock', key: 'k' })).status).toBe(400)
		expect((await stage.connect({ name: 'o', provider: 'openai', credential })).status).toBe(400)
	})
})
