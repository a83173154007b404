# Has an account at Amazon trust this cluster: makes the cluster an identity provider of the account, and a role that the cluster
# may take on to list databases. Running it again brings both up to date. Before this line stand: issuer, cluster, integration,
# role, audience, subject. Nothing runs before the last line, so a script that was cut off on its way does nothing.
set -u
export AWS_PAGER=''

say() { printf '%s\n' "$1"; }
fail() {
  printf 'error: %s\n' "$1" >&2
  exit 1
}

main() {
  command -v aws >/dev/null || fail 'the AWS command line is missing; run this in AWS CloudShell'
  local caller account partition provider host tags trust policy made
  caller=$(aws sts get-caller-identity --query Arn --output text) || fail 'AWS does not know who you are; sign in first'
  partition=$(printf '%s' "$caller" | cut -d: -f2)
  account=$(printf '%s' "$caller" | cut -d: -f5)
  [[ $account =~ ^[0-9]{12}$ && $partition =~ ^aws[a-z-]*$ ]] || fail "AWS says that you are $caller, which names no account"
  host=${issuer#https://}
  provider=arn:$partition:iam::$account:oidc-provider/$host
  tags=("Key=teleport.dev/origin,Value=integration_awsoidc" "Key=teleport.dev/cluster,Value=$cluster" "Key=teleport.dev/integration,Value=$integration")

  if made=$(aws iam get-open-id-connect-provider --open-id-connect-provider-arn "$provider" --query ClientIDList --output text 2>/dev/null); then
    case " $(printf '%s' "$made" | tr '\t\n' '  ') " in
      *" $audience "*) say "The account trusts $issuer already." ;;
      *)
        aws iam add-client-id-to-open-id-connect-provider --open-id-connect-provider-arn "$provider" --client-id "$audience" ||
          fail 'the identity provider could not be changed'
        say "The account trusts $issuer now."
        ;;
    esac
  else
    aws iam create-open-id-connect-provider --url "$issuer" --client-id-list "$audience" --tags "${tags[@]}" >/dev/null ||
      fail "the identity provider could not be made: you need iam:CreateOpenIDConnectProvider, and AWS has to reach $issuer"
    say "The account trusts $issuer now."
  fi

  # What stands in these was checked by the proxy, or above: nothing of it means anything to JSON.
  trust='{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"sts:AssumeRoleWithWebIdentity","Principal":{"Federated":"'$provider'"},"Condition":{"StringEquals":{"'$host:aud'":"'$audience'","'$host:sub'":"'$subject'"}}}]}'
  policy='{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":["rds:DescribeDBInstances","rds:DescribeDBClusters"],"Resource":"*"}]}'
  if made=$(aws iam list-role-tags --role-name "$role" --query "Tags[?Key=='teleport.dev/cluster'].Value" --output text 2>/dev/null); then
    [ "$made" = "$cluster" ] || fail "there is a role $role that this cluster did not make; choose another name"
    aws iam update-assume-role-policy --role-name "$role" --policy-document "$trust" || fail "the role $role could not be changed"
  else
    aws iam create-role --role-name "$role" --description "Sallyport cluster $cluster, integration $integration" \
      --assume-role-policy-document "$trust" --tags "${tags[@]}" >/dev/null || fail "the role $role could not be made: you need iam:CreateRole"
  fi
  aws iam put-role-policy --role-name "$role" --policy-name sallyport-list-databases --policy-document "$policy" ||
    fail "the role $role could not be given its rights: you need iam:PutRolePolicy"
  made=$(aws iam get-role --role-name "$role" --query Role.Arn --output text) || fail "the role $role could not be read"
  say 'Done. Enter this role ARN in the console:'
  say ''
  say "$made"
}

main "$@"
