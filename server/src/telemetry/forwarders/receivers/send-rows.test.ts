import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer, getCACertificates, setDefaultCACertificates } from 'node:tls'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { createSafeFetch } from '../../../platform/safe-fetch.ts'
import { sendSyslog } from './send-rows.ts'

const safeFetch = createSafeFetch({ allowedNetworks: null, loopbackAllowed: true, forbidden: () => [] })
const directory = mkdtempSync(join(tmpdir(), 'signalbox-syslog-'))
const trusted = getCACertificates('default')
afterEach(() => setDefaultCACertificates(trusted))
afterAll(async () => {
	await safeFetch.close()
	rmSync(directory, { recursive: true, force: true })
})

/** A self-signed certificate for a receiver of RFC 5425; null where there is no openssl to create one. */
function makeCertificate(name: string): { key: string; cert: string } | null {
	const [key, cert] = [join(directory, `${name}.key`), join(directory, `${name}.pem`)]
	const made = [
		'req',
		'-x509',
		'-newkey',
		'ec',
		'-pkeyopt',
		'ec_paramgen_curve:P-256',
		'-nodes',
		'-days',
		'1',
	]
	const files = ['-keyout', key, '-out', cert, '-subj', `/CN=${name}`, '-addext', `subjectAltName=${name}`]
	try {
		execFileSync('openssl', [...made, ...files], { stdio: 'ignore' })
	} catch {
		return null
	}
	return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') }
}

async function receive(certificate: { key: string; cert: string }) {
	const received: Buffer[] = []
	const protocols: (string | null)[] = []
	const server = createServer(certificate, (socket) => {
		protocols.push(socket.getProtocol())
		socket.on('data', (chunk) => received.push(chunk))
	})
	await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
	const { port } = server.address() as AddressInfo
	const send = (host: string) =>
		sendSyslog({ safeFetch }, `tls://${host}:${port}`, ['<109>1 one ü', 'two'], AbortSignal.timeout(20_000))
	const close = () => new Promise((done) => server.close(done))
	return { send, close, protocols, text: () => Buffer.concat(received).toString() }
}

const ofAddress = makeCertificate('IP:127.0.0.1')

describe.skipIf(!ofAddress)('syslog over TLS', () => {
	it('is delivered completely, framed by octet counting, to a receiver whose certificate is trusted', async () => {
		const receiver = await receive(ofAddress as { key: string; cert: string })
		setDefaultCACertificates([...trusted, ofAddress?.cert ?? ''])
		expect(await receiver.send('127.0.0.1')).toEqual({ kind: 'taken', refused: 0, reason: null })
		expect(receiver.text()).toBe('13 <109>1 one ü3 two')
		expect(receiver.protocols).toEqual(['TLSv1.3'])
		await receiver.close()
	})

	it('sends nothing to a receiver whose certificate is not trusted or is for another name', async () => {
		const receiver = await receive(ofAddress as { key: string; cert: string })
		expect(await receiver.send('127.0.0.1')).toMatchObject({
			kind: 'later',
			error: expect.stringContaining('SELF_SIGNED'),
		})
		setDefaultCACertificates([...trusted, ofAddress?.cert ?? ''])
		expect(await receiver.send('localhost')).toMatchObject({
			kind: 'later',
			error: expect.stringContaining('ALTNAME'),
		})
		expect(receiver.text()).toBe('')
		await receiver.close()
	})
})
