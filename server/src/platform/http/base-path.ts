import type { IncomingMessage, ServerResponse } from 'node:http'

type Handle = (request: IncomingMessage, response: ServerResponse) => void

/** The path of the public address: '' or `/prefix`, in characters that need no escape in a page. */
export function basePathOf(publicUrl: string | null): string {
	return publicUrl === null ? '' : new URL(publicUrl).pathname.replace(/\/+$/, '').replaceAll(/["'<>&$]/g, '')
}

/** Serves the same below the public address' path and without it: a proxy in front may take the path off or leave it. */
export function belowBasePath(publicUrl: string | null, handle: Handle): Handle {
	const base = basePathOf(publicUrl)
	if (base === '') return handle
	return (request, response) => {
		const url = request.url ?? '/'
		if (url.startsWith(base) && ['/', '?', undefined].includes(url[base.length])) {
			const rest = url.slice(base.length)
			request.url = rest.startsWith('/') ? rest : `/${rest}`
		}
		handle(request, response)
	}
}
