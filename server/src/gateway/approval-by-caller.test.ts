import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { describe, expect, it } from 'vitest'
import { newWireClient, until } from './testing-client.ts'
import { useCallStage } from './testing-stage.ts'
import { sendEvents, sendText } from './testing-upstream.ts'

const stage = useCallStage()
const eras = { legacy: {}, modern: { versionNegotiation: { mode: { pin: '2026-07-28' } } } }
type Era = keyof typeof eras
type Action = 'accept' | 'decline' | 'cancel'

const askFor = (change: object = {}) => {
	stage.answer = ({ id }, response) => sendText(response, id, 'ran')
	return stage.gateway.manage('PATCH', `/v1/mcp/servers/${stage.serverId}/access/${stage.agent.id}`, {
		...{ approval: { run: 'ask' }, approver: 'caller' },
		...change,
	})
}
const ran = () => stage.upstream.calls().length

/** A stock client whose user gives this answer. The questions are appended to `asked`. */
async function openClient(era: Era, answer: (() => Promise<Action>) | null, asked: string[] = []) {
	const capabilities = answer ? { elicitation: { form: {} } } : {}
	const client = new Client({ name: 'stock', version: '1' }, { capabilities, ...eras[era] } as never)
	if (answer)
		client.setRequestHandler('elicitation/create', async ({ params }) => {
			asked.push(params.message)
			return { action: await answer(), content: {} }
		})
	await client.connect(
		new StreamableHTTPClientTransport(new URL(`${stage.gateway.url}/mcp/tools`), {
			requestInit: { headers: { authorization: `Bearer ${stage.agent.key}` } },
		}),
	)
	return client
}
const callBy = async (client: Client) => {
	try {
		const { content } = await client.callTool({ name: 'run', arguments: { path: '/x' } })
		return (content as { text: string }[])[0]?.text
	} catch (error) {
		return (error as { data?: { code?: string } }).data?.code
	} finally {
		await client.close()
	}
}

describe.each(['legacy', 'modern'] as const)('the person behind a %s client', (era) => {
	const outcomes: Record<Action, string> = {
		accept: 'ran',
		decline: 'approval_denied',
		cancel: 'approval_pending',
	}
	it.each(Object.keys(outcomes) as Action[])('answers %s', async (action) => {
		await askFor()
		const before = ran()
		const asked: string[] = []
		const answer = await callBy(await openClient(era, async () => action, asked))
		expect(answer).toBe(outcomes[action])
		expect(asked).toHaveLength(1)
		expect(asked[0]).toContain('run of Tools with {"path":"/x"}')
		expect(ran()).toBe(before + (action === 'accept' ? 1 : 0))
	})

	it('is not asked where only approvers of the workspace count', async () => {
		await askFor({ approver: 'workspace', approval_wait_ms: 50 })
		const asked: string[] = []
		expect(await callBy(await openClient(era, async () => 'accept', asked))).toBe('approval_pending')
		expect(asked).toEqual([])
	})

	it('cannot be asked, so the call waits for an approver', async () => {
		await askFor()
		const before = ran()
		const answer = callBy(await openClient(era, null))
		await approve()
		expect(await answer).toBe('ran')
		expect(ran()).toBe(before + 1)
	})

	it('no longer counts if the grant requires another approver before they answer', async () => {
		await askFor({ approval_wait_ms: 0 })
		const before = ran()
		const asked: string[] = []
		const answer = callBy(
			await openClient(
				era,
				async () => {
					await askFor({ approver: 'workspace' })
					return 'accept'
				},
				asked,
			),
		)
		expect(await answer).toBe('approval_pending')
		expect(asked).toHaveLength(1)
		expect(ran()).toBe(before)
	})

	it('answers after an approver did, and nothing runs twice', async () => {
		await askFor()
		const before = ran()
		let late: (action: Action) => void = () => {}
		const asked: string[] = []
		const answer = callBy(
			await openClient(era, () => new Promise<Action>((resolve) => (late = resolve)), asked),
		)
		await until(() => asked.length === 1, 5000)
		await approve()
		late('accept')
		expect(await answer).toBe('ran')
		expect(ran()).toBe(before + 1)
	})
})

it("an answer about the approval is none to the server's own question, also after a restart", async () => {
	await askFor()
	const answers: unknown[] = []
	const params = { message: 'Really?', requestedSchema: { type: 'object', properties: {} } }
	let end = () => {}
	stage.answer = ({ method, id, text }, response) => {
		if (method !== 'tools/call') {
			answers.push(text)
			response.writeHead(202).end()
			return end()
		}
		end = () => sendEvents(response, { id, result: { content: [] } })
		sendEvents(response, { id: 'really', method: 'elicitation/create', params })
	}
	const meta = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: {} } }
	const call = (more: object) =>
		newWireClient(`${stage.gateway.url}/mcp/tools`, stage.agent.key)
			.modern('tools/call', { name: 'run', arguments: {}, ...more }, {}, meta)
			.then(({ body }) => body.result)
	const { requestState } = await call({})
	await stage.gateway.restart()
	await approve()
	const inputResponses = { 'input-1': { action: 'accept', content: {} } }
	expect(await call({ requestState, inputResponses })).toMatchObject({
		inputRequests: { 'input-1': { params: { message: 'Really?' } } },
	})
	expect(answers).toEqual([])
})

async function approve(): Promise<void> {
	let id: string | undefined
	await until(async () => {
		const path = `/v1/approvals?status=pending&agent_uuid=${stage.agent.id}`
		id = (await stage.gateway.manage('GET', path)).approvals[0]?.id
		return id !== undefined
	}, 5000)
	await stage.gateway.manage('POST', `/v1/approvals/${id}/approve`, {})
}
