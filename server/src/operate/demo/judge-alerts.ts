import type { IngressClient } from './ingress-client.ts'

const lookEveryMs = 1000
/** A new workspace gets its alerts within ten seconds. */
const looksMax = 30

/** Alerts are judged a minute after they were made; whoever looks at the demo shall not wait for that. */
export async function judgeAlerts(client: IngressClient, ending: AbortSignal): Promise<void> {
	for (let looks = 0; looks < looksMax && !ending.aborted; looks += 1) {
		const { alerts } = await client.call<{ alerts: { id: string; enabled: boolean }[] }>(
			'GET',
			'/v1/alerts?limit=50',
		)
		// A change has an alert judged at once; this one changes nothing.
		for (const { id, enabled } of alerts) await client.call('PATCH', `/v1/alerts/${id}`, { enabled })
		if (alerts.length > 0) return
		await new Promise((resolve) => setTimeout(resolve, lookEveryMs))
	}
}
