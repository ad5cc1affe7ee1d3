// Plain JavaScript for any Node: without the pinned Node 24, TypeScript files fail with an error that names no cause.
const [major, minor] = process.versions.node.split('.').map(Number)
if (major < 24 || (major === 24 && minor < 12)) {
  console.error(
    `Attest needs Node 24.12 or newer, and this is ${process.versions.node}. "npm ci" brings it for Linux (x64, arm64); elsewhere install it.`,
  )
  process.exit(1)
}
