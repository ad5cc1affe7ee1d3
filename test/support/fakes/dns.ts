import { createSocket } from 'node:dgram'

const textType = 16

/** The name of the first question, and where it ends (RFC 1035, 4.1.2). */
function questionOf(message: Buffer) {
  const labels: string[] = []
  let at = 12
  for (let length = message[at]!; length > 0; length = message[at]!) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length))
    at += length + 1
  }
  return { name: labels.join('.').toLowerCase(), type: message.readUInt16BE(at + 1), end: at + 5 }
}

/** A DNS server that knows the texts of names. */
export async function openDns() {
  const texts = new Map<string, string[]>()
  const socket = createSocket('udp4')
  socket.on('message', (message, from) => {
    const { name, type, end } = questionOf(message)
    const found = type === textType ? (texts.get(name) ?? []) : []
    const header = Buffer.from(message.subarray(0, 12))
    header.writeUInt16BE(found.length > 0 ? 0x8180 : 0x8183, 2)
    header.writeUInt16BE(1, 4)
    header.writeUInt16BE(found.length, 6)
    header.fill(0, 8)
    const answers = found.map(text => {
      const head = Buffer.alloc(13)
      // The name of the question, the type, the class IN, a minute to live, the length, and the text with its own.
      head.writeUInt16BE(0xc00c, 0)
      head.writeUInt16BE(textType, 2)
      head.writeUInt16BE(1, 4)
      head.writeUInt32BE(60, 6)
      head.writeUInt16BE(text.length + 1, 10)
      head.writeUInt8(text.length, 12)
      return Buffer.concat([head, Buffer.from(text, 'latin1')])
    })
    socket.send(Buffer.concat([header, message.subarray(12, end), ...answers]), from.port, from.address)
  })
  await new Promise<void>(resolve => socket.bind(0, '127.0.0.1', resolve))
  return {
    server: `127.0.0.1:${socket.address().port}`,
    texts,
    close: () => new Promise<void>(resolve => void socket.close(resolve)),
  }
}
export type Dns = Awaited<ReturnType<typeof openDns>>
