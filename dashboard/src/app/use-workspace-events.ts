import { type QueryKey, useQueryClient } from '@tanstack/react-query'
import { useEffect, useSyncExternalStore } from 'react'
import { requestsKey } from '../areas/access-requests/queries.ts'
import { alertsKey } from '../areas/alerts/queries.ts'
import { approvalsKey } from '../areas/approvals/queries.ts'
import { useCan } from '../areas/identity/session.ts'
import { followEvents } from '../lib/event-stream.ts'

const ofDefinitions = [['definitions'], ['servers']]
/** The queries that are invalidated by an event, by the first word of its type. */
const followers: Readonly<Record<string, readonly QueryKey[]>> = {
	alert: [alertsKey],
	alerts: [alertsKey],
	approval: [approvalsKey],
	approvals: [approvalsKey],
	'access-requests': [requestsKey],
	tool: ofDefinitions,
	'tool-definitions': ofDefinitions,
}
const forAll = ['alert', 'alerts', 'tool', 'tool-definitions']
const ofApprovals = ['approval', 'approvals']
const ofRequests = ['access-requests']
/** Several events within this time refresh a screen once. */
const gatherMs = 250

/**
 * Screens follow the events of the workspace, but only while the page is visible: a browser has six connections to an address, and as
 * many forgotten tabs would occupy them all.
 */
export function useWorkspaceEvents(): void {
	const queries = useQueryClient()
	const approves = useCan(['approvals:read', 'approvals:decide'])
	const grants = useCan('access:write')
	const isVisible = useSyncExternalStore(subscribe, () => document.visibilityState === 'visible')
	useEffect(() => {
		if (!isVisible) return
		const areas = [...forAll, ...(approves ? ofApprovals : []), ...(grants ? ofRequests : [])]
		const controller = new AbortController()
		const stale = new Set<string>()
		const refresh = () => {
			// Each query once: invalidating it again would cancel its request and send another.
			const keys = new Set([...stale].flatMap((area) => followers[area] ?? []))
			for (const queryKey of keys) void queries.invalidateQueries({ queryKey })
			stale.clear()
		}
		const timer = setInterval(refresh, gatherMs)
		const types = areas.map((area) => `${area}.*`).join(',')
		void followEvents(`/v1/events?types=${types}`, controller.signal, {
			event: ({ event }) => {
				// A gap stands for events that were dropped because this page was slow.
				for (const area of event === 'gap' ? areas : event.split('.', 1)) stale.add(area)
			},
			state: (state) => {
				// For events that happened before the stream was open.
				if (state === 'open') for (const area of areas) stale.add(area)
			},
		})
		return () => {
			controller.abort()
			clearInterval(timer)
		}
	}, [queries, approves, grants, isVisible])
}

function subscribe(listener: () => void): () => void {
	document.addEventListener('visibilitychange', listener)
	return () => document.removeEventListener('visibilitychange', listener)
}
