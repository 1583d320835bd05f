import { type OpenApiDocument, operationGroups, toOpenApi } from '@signalbox/contract'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { createRouter } from './router.ts'

/** A response of a running instance, as received by a client. */
export interface ReceivedAnswer {
	method: string
	/** With or without a query. */
	path: string
	status: number
	contentType: string | null
	text: string
}

interface DeclaredResponse {
	$ref?: string
	content?: Record<string, { schema: object }>
}
type DeclaredOperation = { responses: Record<string, DeclaredResponse> }

/**
 * Checks responses against the OpenAPI document: throws if an operation responds with an undeclared status or media type, or with a
 * body that its schema rejects. Paths without an operation are accepted.
 */
export function createAnswerCheck(
	document: OpenApiDocument = toOpenApi(operationGroups, { version: '0', serverUrl: 'http://box.test' }),
): (answer: ReceivedAnswer) => void {
	const find = createRouter(routesOf(document))
	// Most schemas check only a few responses, so optimising their code would take longer than it saves.
	const ajv = new Ajv2020({ strict: false, allErrors: true, code: { optimize: false } })
	formats.default(ajv)
	ajv.addSchema(document, 'openapi')
	const compiled = new Map<string, ValidateFunction>()
	const validatorOf = (pointer: string) => {
		const known = compiled.get(pointer) ?? ajv.compile({ $ref: `openapi${pointer}` })
		compiled.set(pointer, known)
		return known
	}
	return (answer) => {
		const found = find(answer.method, answer.path.split('?')[0] as string)
		if (!found.found) return
		const { path, method } = found.route
		const operation = document.paths[path]?.[method.toLowerCase()] as DeclaredOperation | undefined
		const refuse = (reason: string) => {
			throw new Error(
				`${answer.method} ${answer.path} → ${answer.status}: ${reason}\n${answer.text.slice(0, 500)}`,
			)
		}
		const declared = operation?.responses[answer.status]
		if (!declared)
			return refuse('the operation does not declare this status; name the failure in its `problems`')
		const { response, pointer } = resolve(document, path, method.toLowerCase(), answer.status, declared)
		const declaredTypes = Object.keys(response.content ?? {})
		const media = declaredTypes.find((type) => answer.contentType?.startsWith(type)) ?? declaredTypes[0]
		if (answer.method === 'HEAD') return
		if (media === undefined) return answer.text === '' ? undefined : refuse('a body where none is declared')
		if (!answer.contentType?.startsWith(media)) refuse(`${answer.contentType} where ${media} is declared`)
		// For files and streams the document declares nothing more.
		if (!media.includes('json') || declaredTypes.length > 1 || media === 'application/x-ndjson') return
		const validate = validatorOf(`${pointer}/content/${escapeKey(media)}/schema`)
		if (!validate(JSON.parse(answer.text))) refuse(ajv.errorsText(validate.errors))
	}
}

function resolve(
	document: OpenApiDocument,
	path: string,
	method: string,
	status: number,
	declared: DeclaredResponse,
): { response: DeclaredResponse; pointer: string } {
	const name = declared.$ref?.split('/').at(-1)
	if (name === undefined)
		return { response: declared, pointer: `#/paths/${escapeKey(path)}/${method}/responses/${status}` }
	return {
		response: document.components.responses?.[name] as DeclaredResponse,
		pointer: `#/components/responses/${name}`,
	}
}

/** Escapes a key for a JSON pointer inside a URI fragment. */
function escapeKey(key: string): string {
	return encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'))
}

function routesOf(document: OpenApiDocument) {
	return Object.entries(document.paths).flatMap(([path, operations]) =>
		Object.keys(operations).map((method) => ({
			id: `${method} ${path}`,
			method: method.toUpperCase(),
			path,
			access: { public: true as const },
			family: 'api' as const,
			handle: () => {},
		})),
	)
}
