import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll } from 'vitest'
import type { ReceivedRequest } from '../testing.ts'
import type { ClientStage } from './client-stage.ts'

interface Upload {
	bytes: Buffer
	status: 'active' | 'final' | 'cancelled'
}

/** Google's protocol for uploads in several requests, in place of the mock's own answers. */
export function useFakeUploads(stage: ClientStage) {
	const uploads = new Map<string, Upload>()
	const fake = {
		requests: [] as ReceivedRequest[],
		/** The address that is named instead of the right one. */
		address: null as string | null,
		addressOf: (id: string) =>
			fake.address?.replace('{origin}', stage.mock.url) ??
			`${stage.mock.url}/upload/v1beta/files?upload_id=${id}&upload_protocol=resumable&key=AIza-stored`,
		bytesOf: (file: string) => uploads.get(file.replace('files/', ''))?.bytes ?? Buffer.alloc(0),
	}

	function answer(received: ReceivedRequest, response: ServerResponse): boolean {
		const { pathname, searchParams } = new URL(received.path, stage.mock.url)
		if (pathname.startsWith('/v1beta/files/')) {
			response.writeHead(200, { 'content-type': 'application/json' })
			response.end(JSON.stringify({ name: pathname.slice('/v1beta/'.length) }))
			return true
		}
		if (pathname !== '/upload/v1beta/files') return false
		fake.requests.push(received)
		const command = String(received.headers['x-goog-upload-command'])
		if (command === 'start') begin(response)
		else goOn(searchParams.get('upload_id') ?? '', command, received.body, response)
		return true
	}

	function begin(response: ServerResponse): void {
		const id = `up-${uploads.size}_x`
		uploads.set(id, { bytes: Buffer.alloc(0), status: 'active' })
		const address = fake.addressOf(id)
		response.writeHead(200, {
			...{
				'content-type': 'text/plain; charset=utf-8',
				'content-length': 0,
				'x-goog-upload-status': 'active',
			},
			...{ 'x-goog-upload-url': address, 'x-goog-upload-control-url': address },
		})
		response.end()
	}

	function goOn(id: string, command: string, body: Buffer, response: ServerResponse): void {
		const upload = uploads.get(id)
		if (!upload) return void response.writeHead(404).end()
		if (command.includes('upload')) upload.bytes = Buffer.concat([upload.bytes, body])
		if (command.includes('finalize')) upload.status = 'final'
		if (command === 'cancel') upload.status = 'cancelled'
		response.writeHead(200, {
			...{ 'content-type': 'application/json', 'x-goog-upload-status': upload.status },
			'x-goog-upload-size-received': upload.bytes.length,
		})
		response.end(upload.status === 'final' ? JSON.stringify({ file: { name: `files/${id}` } }) : undefined)
	}

	beforeAll(() => {
		stage.mock.intercept = answer
	})
	afterAll(() => {
		stage.mock.intercept = null
	})
	return fake
}
