// Prints the path of a Node that runs Attest. Plain JavaScript for any Node; tools/node calls it.
//
// The Node that runs this is used if it is new enough, else the one that `npm ci` brings. That one is looked up in its package:
// its link in node_modules/.bin has the same name as that of the other platform's package, and npm 10 deletes it with that.
const { existsSync } = require('node:fs')
const { join } = require('node:path')

const needed = [24, 12]

/** Whether a version such as `24.12.0` runs Attest. */
function isNewEnough(version) {
  const [major, minor] = version.split('.').map(Number)
  return major > needed[0] || (major === needed[0] && minor >= needed[1])
}

/** Answers `path`, or in `problem` what to do where there is no such Node. */
function findNode({ version, execPath, platform, arch }, root) {
  if (isNewEnough(version)) return { path: execPath }
  const problem = `Attest needs Node ${needed.join('.')} or newer, and this is ${version}.`
  if (platform !== 'linux' || !['x64', 'arm64'].includes(arch))
    return { problem: `${problem} Install it: npm brings one for Linux on x64 and arm64 alone.` }
  const path = join(root, 'node_modules', `node-linux-${arch}`, 'bin', 'node')
  if (existsSync(path)) return { path }
  return { problem: `${problem} Run "npm ci", which brings it (without --omit=optional), or install it.` }
}

module.exports = { findNode, isNewEnough }

if (require.main === module) {
  const { platform, arch, execPath, versions } = process
  const { path, problem } = findNode({ version: versions.node, execPath, platform, arch }, join(__dirname, '..'))
  if (path) console.log(path)
  else {
    console.error(problem)
    process.exitCode = 1
  }
}
