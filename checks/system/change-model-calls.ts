type Did = (id: string, path: string, body?: object) => Promise<{ id: string }>

/** Calls every changing operation on provider keys, routes, hooks, budgets, model limits and prices. */
export async function changeModelCalls(did: Did): Promise<void> {
	const connection = { name: 'c', provider: 'openai', key: 'sk-test', base_url: 'http://127.0.0.1:9/v1' }
	const made = await did('provider-keys.create', '/v1/provider-keys', connection)
	await did('provider-keys.test', `/v1/provider-keys/${made.id}/test`)
	await did('provider-keys.update', `/v1/provider-keys/${made.id}`, { key: 'sk-other' })
	await did('provider-keys.delete', `/v1/provider-keys/${made.id}`)
	const route = await did('routes.create', '/v1/routes', { name: 'r', targets: [{ connection: 'c' }] })
	await did('routes.update', `/v1/routes/${route.id}`, { retries: 1 })
	await did('routes.delete', `/v1/routes/${route.id}`)
	const asking = { name: 'h', action: 'webhook', url: 'http://127.0.0.1:9/', stages: ['request'] }
	const hook = await did('hooks.create', '/v1/hooks', asking)
	await did('hooks.rotate-secret', `/v1/hooks/${hook.id}/rotate-secret`)
	await did('hooks.update', `/v1/hooks/${hook.id}`, { enabled: false })
	await did('hooks.delete', `/v1/hooks/${hook.id}`)
	await changeMoney(did)
}

/** Budgets, limits and prices. */
async function changeMoney(did: Did): Promise<void> {
	const calls = { name: 'Month', scope: 'workspace' }
	const budget = { ...calls, limit: '5000000000', window: 'month' }
	const { id } = await did('budgets.create', '/v1/budgets', budget)
	await did('budgets.update', `/v1/budgets/${id}`, { limit: '6000000000' })
	await did('budgets.delete', `/v1/budgets/${id}`)
	const limit = await did('model-limits.create', '/v1/model-limits', { ...calls, concurrency: 5 })
	await did('model-limits.update', `/v1/model-limits/${limit.id}`, { concurrency: 6 })
	await did('model-limits.delete', `/v1/model-limits/${limit.id}`)
	const price = await did('prices.create', '/v1/prices', { model: 'm', factor: '1/2' })
	await did('prices.end', `/v1/prices/${price.id}/end`, {})
	await did('ledger.reprice', '/v1/ledger/reprice', { start: '-1h', dry_run: false })
}
