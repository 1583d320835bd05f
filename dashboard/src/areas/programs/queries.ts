import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { api, changeShown, type Schemas, unwrap } from '../../api.ts'
import { toast } from '../../ui/toast.tsx'
import { checkHealth } from '../servers/queries.ts'

export type Program = Schemas['Program']
export type LogLine = Schemas['ProgramLogs']['lines'][number]

const byId = (id: string) => ({ params: { path: { id } } })

export function programQuery(id: string) {
	return queryOptions({
		queryKey: ['servers', id, 'program'],
		queryFn: () => unwrap(api.GET('/v1/mcp/servers/{id}/program', byId(id))),
		refetchInterval: 3000,
	})
}

/** The last thousand lines, polled every two seconds while they are followed. */
export function logsQuery(id: string, isFollowed: boolean) {
	return queryOptions({
		queryKey: ['servers', id, 'logs'],
		queryFn: () =>
			unwrap(api.GET('/v1/mcp/servers/{id}/logs', { params: { path: { id }, query: { limit: 1000 } } })),
		refetchInterval: isFollowed ? 2000 : false,
	})
}

/** Actions on a program; every screen of its server is refreshed. It is started by a request, such as the health check. */
export function useProgram(id: string) {
	const queries = useQueryClient()
	const done = (text: string) => () => {
		toast(text)
		return queries.invalidateQueries({ queryKey: ['servers'] })
	}
	const path = byId(id)
	return {
		turn: useMutation({
			mutationFn: async (status: 'active' | 'inactive') => {
				await unwrap(api.PATCH('/v1/mcp/servers/{id}', { ...path, body: { status } }))
				if (status === 'active') await checkHealth(id)
				return status
			},
			onSuccess: (status) => done(status === 'inactive' ? 'Stopped' : 'Started')(),
		}),
		restart: useMutation({
			mutationFn: async () => {
				await unwrap(api.POST('/v1/mcp/servers/{id}/program/restart', path))
				await checkHealth(id)
			},
			onSuccess: done('Restarted'),
		}),
		install: useMutation({
			mutationFn: () => unwrap(api.POST('/v1/mcp/servers/{id}/program/install', path)),
			onSuccess: done('The package is downloaded again'),
		}),
		allow: useMutation({
			mutationFn: ({ shown, hosts }: { shown: Program; hosts: string[] }) =>
				changeShown('/v1/mcp/servers/{id}/program', { id }, shown, { allowed_hosts: hosts }),
			onSuccess: done('Saved'),
		}),
		accept: useMutation({
			mutationFn: (sentence: string) =>
				unwrap(api.POST('/v1/mcp/servers/{id}/program/acceptance', { ...path, body: { sentence } })),
			onSuccess: done('Accepted, and written to the audit log'),
		}),
		withdraw: useMutation({
			mutationFn: () => unwrap(api.DELETE('/v1/mcp/servers/{id}/program/acceptance', path)),
			onSuccess: done('The acceptance is withdrawn'),
		}),
	}
}
