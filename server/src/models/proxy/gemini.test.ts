import { ApiError, GoogleGenAI } from '@google/genai'
import { tokenPrefixes } from '@signalbox/contract'
import OpenAI from 'openai'
import { beforeAll, describe, expect, it } from 'vitest'
import { useClientStage } from './testing/client-stage.ts'
import { useFakeUploads } from './testing/gemini-uploads-wire.ts'
import { mockWords } from './testing.ts'

const tokens = { inputTokens: 30, cacheReadTokens: 70, outputTokens: 20, reasoningTokens: 15 }
const contents = 'Grüße 👋'
const model = 'gemini-mock'

describe('Gemini with its official client', () => {
	const stage = useClientStage(({ connect, mock }) =>
		connect({ name: 'gemini', provider: 'gemini', key: 'AIza-stored', base_url: mock.url }),
	)
	let base: string
	const clientOf = (options: object = {}, apiVersion = 'v1beta') =>
		new GoogleGenAI({
			apiKey: stage.agent.secret,
			httpOptions: { baseUrl: base, apiVersion },
			...options,
		})
	beforeAll(() => {
		base = `${stage.proxy.url}/proxy/gemini`
	})
	const ask = (method: string, path: string, headers: Record<string, string>, body?: unknown) =>
		fetch(base + path, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) })

	it.each(['v1', 'v1beta'])('%s: an answer is recorded with the model of its path', async (version) => {
		const row = await stage.recordOf(async () => {
			const answer = await clientOf({}, version).models.generateContent({ model, contents })
			expect(answer.text).toBe(mockWords.join(''))
		})
		expect(row).toMatchObject({
			...tokens,
			...{ name: `chat ${model}`, modelRequested: model, model: `${model}-001` },
			...{ provider: 'gemini', status: 'ok', usageSource: 'reported' },
		})
		const sent = stage.mock.requests.at(-1)
		expect(sent?.path).toBe(`/${version}/models/${model}:generateContent`)
		expect(sent?.headers['x-goog-api-key']).toBe('AIza-stored')
		expect(JSON.stringify(sent?.headers)).not.toContain(tokenPrefixes.key)
	})

	it('a stream of events has the figures of its last chunk', async () => {
		const row = await stage.recordOf(async () => {
			let text = ''
			for await (const chunk of await clientOf().models.generateContentStream({ model, contents }))
				text += chunk.text ?? ''
			expect(text).toBe(mockWords.join(''))
		})
		expect(row).toMatchObject({ ...tokens, status: 'ok', usageSource: 'reported' })
		expect(row.timeToFirstTokenNs).toBeGreaterThan(0n)
	})

	it('a stream as one JSON list passes unchanged and is read too', async () => {
		const row = await stage.recordOf(async () => {
			const headers = { 'x-goog-api-key': stage.agent.secret }
			const answer = await ask('POST', `/v1beta/models/${model}:streamGenerateContent`, headers, {})
			const list = (await answer.json()) as unknown[]
			expect(list).toHaveLength(mockWords.length)
		})
		expect(row).toMatchObject({ ...tokens, status: 'ok', usageSource: 'reported' })
		expect(row.timeToFirstTokenNs).toBeGreaterThan(0n)
	})

	it('tools, counted tokens, embeddings and models work', async () => {
		const config = { tools: [{ functionDeclarations: [{ name: 'weather' }] }] }
		const called = await clientOf().models.generateContent({ model, contents, config })
		expect(called.functionCalls?.[0]).toMatchObject({ name: 'weather', args: { city: 'Zürich' } })
		const counted = await stage.recordOf(async () => {
			expect((await clientOf().models.countTokens({ model, contents })).totalTokens).toBe(100)
		})
		expect(counted).toMatchObject({ kind: 'other', name: `count_tokens ${model}`, usageSource: '' })
		const embedded = await stage.recordOf(async () => {
			const { embeddings } = await clientOf().models.embedContent({
				model: 'gemini-embedding-mock',
				contents,
			})
			expect(embeddings?.[0]?.values).toEqual([0.25, 0.5])
		})
		expect(embedded).toMatchObject({ name: 'embeddings gemini-embedding-mock', inputTokens: 9, status: 'ok' })
		const single = await ask('POST', `/v1beta/models/${model}:embedContent?key=${stage.agent.secret}`, {}, {})
		expect(await single.json()).toEqual({ embedding: { values: [0.25] } })
		expect(stage.mock.requests.at(-1)?.path).toBe(`/v1beta/models/${model}:embedContent`)
		const pager = await clientOf().models.list()
		expect(pager.page[0]?.name).toBe('models/gemini-mock')
	})

	it.each([400, 429, 503])('an error %i of the provider is raised as such', async (status) => {
		const row = await stage.recordOf(async () => {
			const failing = clientOf({ httpOptions: { baseUrl: base, retryOptions: { attempts: 1 } } })
			const asked = failing.models.generateContent({ model: `error-${status}`, contents })
			await expect(asked).rejects.toMatchObject({ status })
		})
		expect(row).toMatchObject({ status: 'error', httpStatus: status, usageSource: 'missing' })
	})

	it('an error during a stream and a broken stream are raised by the client', async () => {
		for (const failing of ['stream-error', 'cut']) {
			const row = await stage.recordOf(async () => {
				const stream = await clientOf().models.generateContentStream({ model: failing, contents })
				const reading = (async () => {
					for await (const _chunk of stream);
				})()
				await expect(reading).rejects.toBeInstanceOf(failing === 'cut' ? Error : ApiError)
			})
			expect(row).toMatchObject({ status: 'error', usageSource: 'estimated' })
		}
	})

	it('refusals of Signalbox have the form that the client raises', async () => {
		const failing = clientOf({ apiKey: 'sk_service_wrong' }).models.generateContent({ model, contents })
		await expect(failing).rejects.toMatchObject({ status: 401 })
		const closed = await ask('POST', '/v1beta/cachedContents', { 'x-goog-api-key': stage.agent.secret }, {})
		expect(await closed.json()).toMatchObject({ error: { code: 403, status: 'PERMISSION_DENIED' } })
	})

	it('files and caches of the account are closed to agents that did not create them', async () => {
		const headers = { 'x-goog-api-key': stage.agent.secret }
		for (const body of [
			{ cachedContent: 'cachedContents/abc123' },
			{
				contents: [
					{ parts: [{ fileData: { fileUri: 'https://generativelanguage.googleapis.com/v1beta/files/f1' } }] },
				],
			},
		]) {
			const before = stage.mock.requests.length
			const answer = await ask('POST', `/v1beta/models/${model}:generateContent`, headers, body)
			expect(answer.status).toBe(404)
			expect(stage.mock.requests.length).toBe(before)
		}
	})

	it("the caller's own key can be sent in addition to the Signalbox key, in the header or the query", async () => {
		const mine = { 'x-service-api-key': stage.agent.secret }
		await ask('POST', '/v1beta/cachedContents', { ...mine, 'x-goog-api-key': 'AIza-mine' }, {})
		expect(stage.mock.requests.at(-1)?.headers['x-goog-api-key']).toBe('AIza-mine')
		await ask('GET', '/v1beta/models?pageSize=1&key=AIza-query', mine)
		expect(stage.mock.requests.at(-1)).toMatchObject({ path: '/v1beta/models?pageSize=1&key=AIza-query' })
		expect(stage.mock.requests.at(-1)?.headers).not.toHaveProperty('x-goog-api-key')
	})

	it.each([
		['?%24fields=candidates', {}],
		['?alt=json&f%69elds=candidates', {}],
		['', { 'x-goog-fieldmask': 'candidates' }],
	])('an answer cannot be asked for without its usage (%s)', async (search, headers) => {
		const path = `${stage.proxy.url}/proxy/gemini/v1beta/models/gemini-mock:generateContent${search}`
		const by = { 'x-goog-api-key': stage.agent.secret, ...headers }
		const answer = await fetch(path, { method: 'POST', headers: by, body: '{"contents":[]}' })
		expect([answer.status, await answer.text()]).toEqual([
			403,
			expect.stringContaining('would hide the usage'),
		])
	})

	it('a key in the query is dropped if there is a stored one', async () => {
		await ask('GET', '/v1beta/models?key=AIza-query', { 'x-goog-api-key': stage.agent.secret })
		expect(stage.mock.requests.at(-1)?.path).toBe('/v1beta/models')
	})

	it('the form of OpenAI is read as such, and thinking is counted', async () => {
		const openai = new OpenAI({
			baseURL: `${base}/v1beta/openai/`,
			apiKey: stage.agent.secret,
			maxRetries: 0,
		})
		const messages = [{ role: 'user' as const, content: contents }]
		const row = await stage.recordOf(() => openai.chat.completions.create({ model, messages }))
		expect(row).toMatchObject({
			...{ name: `chat ${model}`, provider: 'gemini', usageSource: 'reported' },
			...{ inputTokens: 20, cacheReadTokens: 100, outputTokens: 20, reasoningTokens: 10 },
		})
		const sent = stage.mock.requests.at(-1)
		expect(sent?.path).toBe('/v1beta/openai/chat/completions')
		expect(sent?.headers).toMatchObject({ authorization: 'Bearer AIza-stored' })
		expect(sent?.headers).not.toHaveProperty('x-goog-api-key')
		stage.mock.intercept = (_received, response) => {
			response.writeHead(200, { 'content-type': 'application/json' })
			const usage = { prompt_tokens: 20, completion_tokens: 5, total_tokens: 125 }
			response.end(JSON.stringify({ id: 'x', model, choices: [{ message: { content: 'x' } }], usage }))
			return true
		}
		const thought = await stage.recordOf(() => openai.chat.completions.create({ model, messages }))
		expect(thought).toMatchObject({ inputTokens: 20, outputTokens: 5, reasoningTokens: 100 })
		stage.mock.intercept = null
		await openai.embeddings.create({ model, input: 'x' })
		await openai.models.list()
		await expect(openai.batches.list()).rejects.toMatchObject({ status: 403 })
	})

	it.each(['v1', 'v1beta'])(
		'%s: a file is open to the agent that uploaded it in one request',
		async (version) => {
			stage.mock.intercept = (_received, response) => {
				response.writeHead(200, { 'content-type': 'application/json' })
				response.end(JSON.stringify({ file: { name: 'files/mock-1', uri: 'https://x/v1beta/files/mock-1' } }))
				return true
			}
			const by = (secret: string, more = {}) => ({ 'x-goog-api-key': secret, ...more })
			const upload = (protocol: string) =>
				ask(
					...(['POST', `/upload/${version}/files`] as const),
					by(stage.agent.secret, { 'x-goog-upload-protocol': protocol }),
					{},
				)
			const resumed = await upload('resumable')
			expect([resumed.status, await resumed.text()]).toEqual([
				...[403, expect.stringContaining('X-Goog-Upload-Command: start')],
			])
			expect((await upload('multipart')).status).toBe(200)
			const named = { contents: [{ parts: [{ fileData: { fileUri: 'https://x/v1beta/files/mock-1' } }] }] }
			for (const [secret, status] of [
				[stage.agent.secret, 200],
				[stage.other.secret, 404],
			] as const) {
				expect((await ask('GET', '/v1beta/files/mock-1', by(secret))).status).toBe(status)
				expect((await ask('POST', `/v1beta/models/${model}:generateContent`, by(secret), named)).status).toBe(
					status,
				)
				expect((await ask('DELETE', '/v1beta/files/mock-1', by(secret))).status).toBe(status)
				expect((await ask('GET', '/v1beta/files', by(secret))).status).toBe(403)
			}
			stage.mock.intercept = null
		},
	)

	describe('a resumable upload', () => {
		const fake = useFakeUploads(stage)
		const command = (address: string, secret: string, name: string, more: object = {}) =>
			fetch(address, {
				method: 'POST',
				headers: { 'x-goog-api-key': secret, 'x-goog-upload-command': name, 'x-goog-upload-offset': '0' },
				...more,
			})
		const start = (secret = stage.agent.secret, more: Record<string, string> = {}) =>
			ask('POST', '/upload/v1beta/files?key=x', {
				...{
					'x-goog-api-key': secret,
					'x-goog-upload-protocol': 'resumable',
					'x-goog-upload-command': 'start',
				},
				...more,
			})
		const addressIn = (answer: Response) => answer.headers.get('x-goog-upload-url') as string

		it('works with files.upload of the official client, in several pieces', async () => {
			const bytes = Buffer.alloc(9 * 1024 * 1024, 'é')
			const before = fake.requests.length
			const file = await clientOf().files.upload({
				file: new Blob([bytes], { type: 'text/plain' }),
				config: { displayName: 'x' },
			})
			expect(file.name).toMatch(/^files\/up-/)
			expect(fake.bytesOf(file.name as string).equals(bytes)).toBe(true)
			const sent = fake.requests.slice(before)
			expect(sent.map(({ headers }) => headers['x-goog-upload-command'])).toEqual([
				...['start', 'upload', 'upload, finalize'],
			])
			for (const { headers } of sent) expect(headers['x-goog-api-key']).toBe('AIza-stored')
			expect(await clientOf().files.get({ name: file.name as string })).toMatchObject({ name: file.name })
			await stage.proxy.settled()
			const rows = stage.proxy.recorded.slice(-4)
			expect(rows.map(({ name, kind, status, usageSource }) => [name, kind, status, usageSource])).toEqual([
				...[1, 2, 3].map(() => ['files', 'other', 'ok', '']),
				['files/get', 'other', 'ok', ''],
			])
		})

		it('continues at an address here, for the agent that began it only, who then owns the file', async () => {
			const { agent, other, proxy, key } = stage
			const started = await start()
			const address = addressIn(started)
			expect(address).toMatch(`${proxy.url}/proxy/gemini/upload/v1beta/files?upload_id=`)
			expect(address).toContain('&upload_protocol=resumable')
			expect(address).not.toContain('AIza')
			expect(started.headers.get('x-goog-upload-control-url')).toBe(address)
			const received = fake.requests.length
			for (const secret of [other.secret, key])
				for (const name of ['upload', 'upload, finalize', 'query', 'cancel'])
					expect((await command(address, secret, name, { body: 'y' })).status).toBe(404)
			for (const search of ['upload_id=unknown', 'upload_id=', 'Upload_Id=x', 'x=%00&upload_id=%00'])
				expect((await command(`${base}/upload/v1beta/files?${search}`, agent.secret, 'query')).status).toBe(
					404,
				)
			const twice = `${address}&upload_id=theirs`
			expect((await command(twice, agent.secret, 'query')).status).toBe(404)
			expect((await command(address, agent.secret, 'start')).status).toBe(403)
			expect(fake.requests.length).toBe(received)
			const piece = await command(address, agent.secret, 'upload', { body: 'ab' })
			expect([piece.status, piece.headers.get('x-goog-upload-status')]).toEqual([200, 'active'])
			const asked = await command(`${address}&key=AIza-x`, agent.secret, 'query')
			expect(asked.headers.get('x-goog-upload-size-received')).toBe('2')
			expect(fake.requests.at(-1)?.path).toBe(address.slice(`${proxy.url}/proxy/gemini`.length))
			// As Google's client for Java continues it.
			const appended = `${base}${address.slice(proxy.url.length)}`
			expect((await command(appended, other.secret, 'query')).status).toBe(404)
			const ended = await command(appended, agent.secret, 'upload, finalize', { body: 'c' })
			expect(fake.requests.at(-1)?.path).toBe(address.slice(`${proxy.url}/proxy/gemini`.length))
			expect(ended.headers.get('x-goog-upload-status')).toBe('final')
			const { file } = (await ended.json()) as { file: { name: string } }
			expect(fake.bytesOf(file.name).toString()).toBe('abc')
			for (const [secret, status] of [
				[agent.secret, 200],
				[other.secret, 404],
			] as const)
				expect((await ask('GET', `/v1beta/${file.name}`, { 'x-goog-api-key': secret })).status).toBe(status)
		})

		it.each(['uploadType=resumable', 'upload_protocol=resumable', 'UploadType=Resumable'])(
			'is not begun by the query string, whose answer would name an address elsewhere: %s',
			async (search) => {
				const before = fake.requests.length
				const headers = { 'x-goog-api-key': stage.agent.secret, 'x-goog-upload-protocol': 'multipart' }
				const answer = await ask('POST', `/upload/v1beta/files?${search}`, headers)
				expect([answer.status, await answer.text()]).toEqual([
					...[403, expect.stringContaining('not in the query string')],
				])
				expect(fake.requests.length).toBe(before)
			},
		)

		it('can be cancelled', async () => {
			const cancelled = await command(addressIn(await start()), stage.agent.secret, 'cancel')
			expect([cancelled.status, cancelled.headers.get('x-goog-upload-status')]).toEqual([200, 'cancelled'])
		})

		it.each([
			'https://elsewhere.example/upload/v1beta/files?upload_id=a',
			'//upload/v1beta/files?upload_id=a',
			'{origin}/upload/v1beta/files',
			'{origin}/upload/v1beta/files?upload_id=a%00b',
			'{origin}/v1beta/models?upload_id=a',
		])('is refused if the provider names %s', async (address) => {
			fake.address = address
			const row = await stage.recordOf(async () => {
				const answer = await start()
				expect([answer.status, await answer.text()]).toEqual([
					...[502, expect.stringContaining('names an address for the upload')],
				])
				expect(addressIn(answer)).toBeNull()
			})
			expect(row).toMatchObject({ status: 'error', errorType: 'upload_elsewhere' })
			const own = await start('AIza-mine', { 'x-service-api-key': stage.agent.secret })
			expect(addressIn(own)).toBe(fake.addressOf('a'))
			fake.address = null
		})

		it("with the caller's own key it continues here too, and nobody owns it", async () => {
			const mine = { 'x-service-api-key': stage.agent.secret }
			const address = addressIn(await start('AIza-mine', mine))
			expect(address).toContain(`${base}/upload/v1beta/files?upload_id=`)
			const headers = { ...mine, 'x-goog-api-key': 'AIza-mine', 'x-goog-upload-command': 'upload, finalize' }
			const ended = await fetch(address, { method: 'POST', headers, body: 'x' })
			expect(ended.headers.get('x-goog-upload-status')).toBe('final')
			expect(fake.requests.at(-1)?.headers['x-goog-api-key']).toBe('AIza-mine')
			expect((await command(address, stage.agent.secret, 'query')).status).toBe(404)
		})
	})
})
