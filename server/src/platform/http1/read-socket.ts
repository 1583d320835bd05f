import type { Socket } from 'node:net'

/**
 * Calls `take` with what comes over a socket, as a listener to `data` is called; returns what ends that. Unless bytes are held back,
 * they come straight from the socket: the stream's own way plans a look for more bytes after each piece.
 */
export function readSocket(socket: Socket, take: (piece: Buffer) => void): () => void {
	const { push } = socket
	socket.push = (piece: Buffer | null, encoding?: BufferEncoding): boolean => {
		if (piece === null || socket.readableFlowing !== true || socket.readableLength > 0)
			return push.call(socket, piece, encoding)
		take(piece)
		return true
	}
	socket.on('data', take)
	return () => {
		socket.push = push
		socket.off('data', take)
	}
}
