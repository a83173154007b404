
# Prepares an Active Directory domain for desktops in the cluster. The proxy writes the values above: $Cluster, $Proxy, $Token,
# $ResourceId, $Authority (PEM) and $AuthorityHash (its SHA-1). Run it in PowerShell on a domain controller, as an
# administrator of the domain. Running it again changes nothing that is as it should be.
# With $env:SALLYPORT_PUBLISH_AUTHORITY = '1' the domain also trusts the cluster's desktop authority for smart cards.

$ErrorActionPreference = 'Stop'
$PolicyName = 'Sallyport desktops'
$Terminal = 'HKLM\SOFTWARE\Policies\Microsoft\Windows NT\Terminal Services'

$identity = [Security.Principal.WindowsPrincipal][Security.Principal.WindowsIdentity]::GetCurrent()
if (-not $identity.IsInRole([Security.Principal.WindowsBuiltInRole]::Administrator)) {
    throw 'Run this in PowerShell as an administrator of the domain.'
}
if ((Get-CimInstance Win32_ComputerSystem).DomainRole -lt 4) {
    throw 'This machine is no domain controller: run this on one.'
}
Import-Module ActiveDirectory
Import-Module GroupPolicy
$domain = Get-ADDomain

Write-Host "The group policy `"$PolicyName`" is about to be linked to the whole domain $($domain.DNSRoot). It lets RDP in on every"
Write-Host 'machine, over TLS only, and lets machines ask for the password on their own screen (no network level authentication),'
Write-Host "because agents of $Cluster know no passwords. Move the link to an organizational unit if that is meant for some machines."
if ((Read-Host 'Go on? (yes/no)') -ne 'yes') {
    Write-Host 'Nothing was changed.'
    return
}

if (-not (Get-GPO -Name $PolicyName -ErrorAction SilentlyContinue)) { New-GPO -Name $PolicyName | Out-Null }
Set-GPRegistryValue -Name $PolicyName -Key $Terminal -ValueName fDenyTSConnections -Type DWord -Value 0 | Out-Null
Set-GPRegistryValue -Name $PolicyName -Key $Terminal -ValueName SecurityLayer -Type DWord -Value 2 | Out-Null
Set-GPRegistryValue -Name $PolicyName -Key $Terminal -ValueName UserAuthentication -Type DWord -Value 0 | Out-Null
$store = "$($domain.DNSRoot)\$PolicyName"
if (-not (Get-NetFirewallRule -PolicyStore $store -Name 'Sallyport-RDP' -ErrorAction SilentlyContinue)) {
    New-NetFirewallRule -PolicyStore $store -Name 'Sallyport-RDP' -DisplayName 'RDP for Sallyport' -Direction Inbound -Action Allow -Protocol TCP -LocalPort 3389 | Out-Null
}
$links = (Get-GPInheritance -Target $domain.DistinguishedName).GpoLinks
if (-not ($links | Where-Object { $_.DisplayName -eq $PolicyName })) {
    New-GPLink -Name $PolicyName -Target $domain.DistinguishedName -LinkEnabled Yes | Out-Null
}

if ($env:SALLYPORT_PUBLISH_AUTHORITY -eq '1') {
    $file = Join-Path $env:TEMP 'sallyport-desktop-authority.cer'
    Set-Content -LiteralPath $file -Value $Authority -Encoding ascii
    try {
        $read = New-Object Security.Cryptography.X509Certificates.X509Certificate2 $file
        if ($read.Thumbprint -ne $AuthorityHash) { throw 'The authority did not arrive as it was sent. Fetch this script again.' }
        foreach ($place in 'RootCA', 'NTAuthCA') {
            certutil.exe -dspublish -f $file $place | Out-Null
            if ($LASTEXITCODE -ne 0) { throw "certutil could not publish the authority to $place." }
        }
    }
    finally { Remove-Item -LiteralPath $file -Force -ErrorAction SilentlyContinue }
}

$computers = @(
    Get-ADComputer -Filter 'Enabled -eq $true' -Properties DNSHostName, OperatingSystem |
        Where-Object { $_.DNSHostName -and $_.OperatingSystem -like 'Windows*' } |
        Sort-Object Name |
        ForEach-Object {
            [ordered]@{
                kind   = 'windows_desktop'
                name   = $_.Name.ToLowerInvariant()
                uri    = "rdp://$($_.DNSHostName)"
                labels = [ordered]@{ 'teleport.dev/os' = $_.OperatingSystem; 'teleport.internal/resource-id' = $ResourceId }
                spec   = @{ domain = $domain.NetBIOSName }
            }
        }
)
Write-Host ''
Write-Host "The domain is prepared. On a Linux machine that reaches its desktops, install an agent of $Cluster as root:"
Write-Host ''
$first = $computers | Select-Object -First 1
$query = if ($first) { '?name=' + $first.name + '&addr=' + $first.uri.Substring(6) } else { '?name=NAME&addr=HOST' }
Write-Host "  curl -fsSL '$Proxy/scripts/$Token/install-desktop.sh$query' | bash"
Write-Host ''
Write-Host 'Then put the desktops that people are to see into /var/lib/sallyport-agent/agent.json and start the agent anew:'
Write-Host ''
Write-Output (ConvertTo-Json -Depth 4 -InputObject @{ resources = $computers })
