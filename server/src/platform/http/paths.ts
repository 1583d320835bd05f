import type { IncomingMessage, ServerResponse } from 'node:http'
import { Problem } from '../errors.ts'

/**
 * Splits a request target and refuses every form of a path that two parsers could read differently: `//`, dot segments (plain or
 * encoded), encoded slashes (except in an ARN) and backslashes, control characters, absolute targets.
 */
export function plainPath(target: string): { path: string; search: string } {
	if (plainTargets.has(target)) return { path: target, search: '' }
	const cut = target.indexOf('?')
	const path = cut < 0 ? target : target.slice(0, cut)
	const search = cut < 0 ? '' : target.slice(cut + 1)
	if (!isPlain(path))
		throw new Problem(
			'invalid_path',
			'Send the path without `//`, dot segments, backslashes, control characters or encoded slashes.',
		)
	if (cut < 0 && target.length <= rememberedLength) {
		if (plainTargets.size >= maxRemembered) plainTargets.clear()
		plainTargets.add(target)
	}
	return { path, search }
}

/** A cache: the data plane is called at the same few paths again and again. */
const plainTargets = new Set<string>()
const maxRemembered = 256
const rememberedLength = 256

function isPlain(path: string): boolean {
	if (!path.startsWith('/') || path.includes('//') || path.includes('\\') || path.includes('#')) return false
	if (!path.includes('%') && !path.includes('/.')) return isPrintable(path)
	if (/%(5c|00)/i.test(path) || !isPrintable(path)) return false
	return path.split('/').every(isPlainSegment)
}

/** The name of a resource of Amazon's, whose clients send it as one segment; its parts cannot be dot segments. */
const resourceName =
	/^arn(?:%3A|:)aws[a-z-]*(?:(?:%3A|:)[a-z0-9-]*){3}(?:%3A|:)[a-z-]+(?:%2F[a-z0-9][a-z0-9.:_-]*(?:%3A[a-z0-9]+)*)+$/i

function isPlainSegment(segment: string): boolean {
	if (!segment.includes('%') && !segment.startsWith('.')) return true
	if (/%2f/i.test(segment)) return resourceName.test(segment)
	return !/^(\.|%2e){1,2}$/i.test(segment)
}

function isPrintable(path: string): boolean {
	return /^[\x21-\x7e]*$/.test(path)
}

/** Decodes a name from a path, which cannot contain slashes: `~` and base64url represent any text. */
export function readPathText(text: string): string {
	return text.startsWith('~') ? Buffer.from(text.slice(1), 'base64url').toString('utf8') : text
}

type Handle = (request: IncomingMessage, response: ServerResponse) => void

/** The path of the public URL: '' or `/prefix`, in characters that need no escaping in a page. */
export function basePathOf(publicUrl: string | null): string {
	return publicUrl === null ? '' : new URL(publicUrl).pathname.replace(/\/+$/, '').replaceAll(/["'<>&$]/g, '')
}

/** The requests of an instance whose public URL has a path. */
const basePaths = new WeakMap<IncomingMessage, string>()

/** What an absolute path in the answer to a request begins with: '' or `/prefix`. */
export function basePathFor(request: IncomingMessage): string {
	return basePaths.get(request) ?? ''
}

/** Serves the same with and without the public URL's path, because a proxy in front may strip the path or keep it. */
export function belowBasePath(publicUrl: string | null, handle: Handle): Handle {
	const base = basePathOf(publicUrl)
	if (base === '') return handle
	return (request, response) => {
		basePaths.set(request, base)
		const url = request.url ?? '/'
		if (url.startsWith(base) && ['/', '?', undefined].includes(url[base.length])) {
			const rest = url.slice(base.length)
			request.url = rest.startsWith('/') ? rest : `/${rest}`
		}
		handle(request, response)
	}
}
