import type { IncomingMessage } from 'node:http'
import {
	decodeHeaderText,
	envelope,
	eraOf,
	isObject,
	metaOf,
	modernVersions,
	namedFailure,
	nameHeaderOf,
	type RpcFailure,
	type RpcRequest,
	rpcCodes,
} from '../../../mcp-client/index.ts'
import type { ClientProgram } from '../../operation.ts'
import { isLogLevel } from '../../protocol/log-levels.ts'

/** Whether a request speaks the modern era: by its own `_meta`, or by a header that names such a version. */
export function claimsModern(request: IncomingMessage, params: unknown): boolean {
	if (isObject(params) && isObject(params._meta) && params._meta[envelope.protocolVersion] !== undefined)
		return true
	const named = request.headers['mcp-protocol-version']
	return (
		typeof named === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(named.trim()) && eraOf(named.trim()) === 'modern'
	)
}

/** What a modern request says of its client, checked against its headers; else -32602, -32020 or -32022 (HTTP 400). */
export function readEnvelope(carrier: IncomingMessage, request: RpcRequest): ClientProgram {
	const meta = metaOf(request.params)
	const version = meta[envelope.protocolVersion]
	if (typeof version !== 'string') throw missing(envelope.protocolVersion, 'text')
	compare('MCP-Protocol-Version', carrier.headers['mcp-protocol-version'], version)
	if (!modernVersions.includes(version)) throw unsupported(version)
	if (!isObject(meta[envelope.clientCapabilities])) throw missing(envelope.clientCapabilities, 'an object')
	if (meta[envelope.clientInfo] !== undefined && !isObject(meta[envelope.clientInfo]))
		throw missing(envelope.clientInfo, 'an object')
	checkHeaders(carrier, request)
	const level = meta[envelope.logLevel]
	return {
		era: 'modern',
		protocolVersion: version,
		info: (meta[envelope.clientInfo] as ClientProgram['info'] | undefined) ?? {},
		capabilities: meta[envelope.clientCapabilities] as ClientProgram['capabilities'],
		logLevel: isLogLevel(level) ? level : null,
		sessionLabel: '',
	}
}

export function headerMismatch(text: string): RpcFailure {
	return namedFailure(rpcCodes.headerMismatch, 'header_mismatch', text, { httpStatus: 400 })
}

function checkHeaders(carrier: IncomingMessage, { method, params }: RpcRequest): void {
	compare('Mcp-Method', carrier.headers['mcp-method'], method)
	const name = nameHeaderOf(method, params)
	if (name === undefined) return
	const given = carrier.headers['mcp-name']
	const decoded = typeof given === 'string' ? decodeHeaderText(given) : given
	if (decoded === null) throw headerMismatch('The header Mcp-Name is not encoded rightly.')
	compare('Mcp-Name', decoded, name)
}

function compare(header: string, given: string | string[] | undefined, body: string): void {
	if (given === undefined) throw headerMismatch(`The header ${header} is missing.`)
	if (typeof given !== 'string' || given.trim() !== body.trim())
		throw headerMismatch(`The header ${header} differs from the body.`)
}

function missing(key: string, kind: string): RpcFailure {
	return namedFailure(rpcCodes.invalidParams, 'missing_meta', `\`_meta\` needs \`${key}\` as ${kind}.`, {
		httpStatus: 400,
	})
}

function unsupported(requested: string): RpcFailure {
	return namedFailure(
		rpcCodes.unsupportedVersion,
		'unsupported_version',
		'The protocol version is not supported.',
		{
			httpStatus: 400,
			data: { supported: modernVersions, requested: requested.slice(0, 64) },
		},
	)
}
