/** The bound for latency: a process that passes a request on to the endpoint named by its argument, and the answer back, and does nothing else. */
import http from 'node:http'
import type { AddressInfo } from 'node:net'

const target = new URL(process.argv[2] ?? '')
const agent = new http.Agent({ keepAlive: true })

const server = http.createServer((request, response) => {
  const { method, headers, url = '' } = request
  const onward = http.request({ hostname: target.hostname, port: target.port, path: url, method, headers, agent }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers)
    answer.pipe(response)
  })
  onward.on('error', () => response.destroy())
  request.pipe(onward)
})
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`))
