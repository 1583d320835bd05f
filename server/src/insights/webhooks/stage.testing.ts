import { scopes } from '@signalbox/contract'
import { afterAll, afterEach, beforeAll } from 'vitest'
import { startTestApp, type TestAnswer, type TestApp } from '../../accounts/identity/testing.ts'
import type { ControlStore } from '../../platform/database/database.ts'
import { createSafeFetch } from '../../platform/safe-fetch.ts'
import { type Receiver, startReceiver } from './testing.ts'
import { openWebhooks } from './webhooks.ts'

/** For tests in which nobody answers from a chat. */
const unasked = {
	publicAddress: () => 'http://signalbox.example',
	decideApproval: () => Promise.reject(new Error('Nobody answers here.')),
}

export interface WebhookStage {
	app: TestApp
	/** Uses a key with every scope. */
	api(method: string, path: string, body?: object): Promise<TestAnswer>
	receive(): Promise<Receiver>
	register(url: string, events?: string[]): Promise<{ id: string; secret: string }>
	addKey(name: string): Promise<TestAnswer>
	deliveries(id: string, query?: string): Promise<TestAnswer['body']>
	newest(id: string): Promise<TestAnswer['body']>
	get(id: string): Promise<TestAnswer['body']>
	/** Skips the time until the next attempt. */
	tryNow(): Promise<void>
}

/** The real app with webhooks and running jobs, and receivers that are closed after each test. */
export function useWebhooks(store: () => ControlStore): WebhookStage {
	const safeFetch = createSafeFetch({ allowedNetworks: null, loopbackAllowed: true, forbidden: () => [] })
	const receivers: Receiver[] = []
	let app: TestApp
	let key = ''
	beforeAll(async () => {
		app = await startTestApp(store(), {
			open: (core) => openWebhooks({ ...core, ...unasked, memberOf: core.identity.memberOf, safeFetch }),
		})
		const body = { name: 'all', scopes: [...scopes] }
		key = (await app.request('POST', '/v1/keys', { token: app.owner.token, body })).body.key
		app.jobs.start()
	})
	afterEach(async () => {
		const { body } = await api('GET', '/v1/webhooks?limit=100')
		for (const { id } of body.webhooks) await api('DELETE', `/v1/webhooks/${id}`)
		await Promise.all(receivers.splice(0).map((receiver) => receiver.close()))
	})
	afterAll(async () => {
		await app.close()
		await safeFetch.close()
	})

	const api = (method: string, path: string, body?: object) =>
		app.request(method, path, { token: key, ...(body && { body }) })
	const deliveries = async (id: string, query = '') =>
		(await api('GET', `/v1/webhooks/${id}/deliveries${query}`)).body.deliveries
	return {
		get app() {
			return app
		},
		api,
		receive: async () => {
			const receiver = await startReceiver()
			receivers.push(receiver)
			return receiver
		},
		register: async (url, events = ['keys.*', 'webhook.test']) => {
			const { status, body, text } = await api('POST', '/v1/webhooks', { url, events })
			if (status !== 201) throw new Error(text)
			return body
		},
		addKey: (name) => api('POST', '/v1/keys', { name }),
		deliveries,
		newest: async (id) => (await deliveries(id))[0],
		get: async (id) => (await api('GET', `/v1/webhooks/${id}`)).body,
		tryNow: async () => {
			const { db } = store()
			await db.updateTable('webhook_deliveries').set({ next_at: 1 }).where('status', '=', 'pending').execute()
			await db.updateTable('jobs').set({ run_at: 1 }).where('lease_holder', 'is', null).execute()
		},
	}
}
