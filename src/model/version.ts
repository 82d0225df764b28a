/** True if one version is newer than another; false if either is not a version. */
export function isNewer(version: string, than: string): boolean {
  const [one, other] = [partsOf(version), partsOf(than)]
  if (one === undefined || other === undefined) return false
  for (const [index, number] of one.numbers.entries()) {
    const difference = number - (other.numbers[index] ?? 0)
    if (difference !== 0) return difference > 0
  }
  if (one.preview === other.preview) return false
  // 1.0.0-beta.2 comes before 1.0.0.
  if (one.preview === '' || other.preview === '') return one.preview === ''
  return one.preview.localeCompare(other.preview, 'en', { numeric: true }) > 0
}

function partsOf(version: string) {
  const [, major, minor, patch, preview = ''] =
    /^v?(\d+)\.(\d+)\.(\d+)(?:-([\w.-]+))?(?:\+.*)?$/.exec(version) ?? []
  if (major === undefined) return undefined
  return { numbers: [major, minor, patch].map(Number), preview }
}
