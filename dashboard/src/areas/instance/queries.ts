import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api, type Schemas, unwrap } from '../../api.ts'

export type Settings = Schemas['Settings']
export type SettingName = keyof Settings
export type InstanceWorkspace = Schemas['InstanceWorkspace']
export type MasterKey = Schemas['MasterKey']

export const settingsQuery = queryOptions({
	queryKey: ['instance', 'settings'],
	queryFn: () => unwrap(api.GET('/v1/settings')),
})

export function workspacesQuery(q: string | undefined, page: number) {
	return queryOptions({
		queryKey: ['instance', 'workspaces', q, page],
		queryFn: () =>
			unwrap(api.GET('/v1/instance/workspaces', { params: { query: { page, limit: 50, ...(q && { q }) } } })),
		placeholderData: keepPreviousData,
	})
}

export const operatorsQuery = queryOptions({
	queryKey: ['instance', 'operators'],
	queryFn: () => unwrap(api.GET('/v1/operators', { params: { query: { limit: 100 } } })),
})

export function mailLinksQuery(page: number) {
	return queryOptions({
		queryKey: ['instance', 'mail-links', page],
		queryFn: () => unwrap(api.GET('/v1/mail-links', { params: { query: { page, limit: 50 } } })),
		// The links are secrets, so they are not cached longer than the screen shows them.
		gcTime: 0,
		// Somebody who asks an operator for help has just requested the link, which is created a moment later.
		refetchInterval: 2000,
	})
}

/** Polled while a replacement is running or about to begin; `leaving` is then the key that it replaces. */
export function masterKeyQuery(leaving: string | null) {
	return queryOptions({
		queryKey: ['instance', 'master-key'],
		queryFn: () => unwrap(api.GET('/v1/instance/master-key')),
		refetchInterval: ({ state: { data } }) =>
			data && (data.key_id === leaving || data.rotation?.state === 'running') ? 1000 : false,
	})
}

export const signingKeysQuery = queryOptions({
	queryKey: ['instance', 'signing-keys'],
	queryFn: () => unwrap(api.GET('/v1/instance/signing-keys')),
	refetchInterval: ({ state }) =>
		state.data?.signing_keys.some(({ status }) => status === 'next') ? 3000 : false,
})
